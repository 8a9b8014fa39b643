/** An output that may fail, for example because its disk is full: the server continues, and what was lost is reported. */
import { messageOf } from '@srv/kernel';

export interface LineTarget {
  /** Calls `done` once, with the error if the text was not written. */
  write(text: string, done: (error?: unknown) => void): void;
  close(): void;
}

interface CountedOptions {
  /** As in `logging.output`. */
  readonly name: string;
  /** Brings a JSON line into the form of the output. */
  readonly shape: (line: string) => string;
}

export class CountedOutput {
  readonly #target: LineTarget;
  readonly #options: CountedOptions;
  /** Lines in a row. */
  #lost = 0;
  #reason = '';

  constructor(target: LineTarget, options: CountedOptions) {
    this.#target = target;
    this.#options = options;
  }

  write(text: string): void {
    this.#target.write(text, error => {
      if (error) this.#lose(1, error);
      else if (this.#lost > 0) this.#report();
    });
  }

  close(): void {
    this.#target.close();
  }

  #lose(count: number, error: unknown): void {
    const isFirst = this.#lost === 0;
    this.#lost += count;
    this.#reason = messageOf(error);
    if (isFirst && this.#options.name !== '=')
      process.stderr.write(`logging: lines are not written to ${this.#options.name}: ${this.#reason}\n`);
  }

  /** The first line after the lost ones is written already. */
  #report(): void {
    const lost = this.#lost;
    this.#lost = 0;
    const fields = { level: 'warn', time: new Date().toISOString(), lost_lines: lost, error: this.#reason, msg: 'log lines were lost' };
    this.#target.write(this.#options.shape(`${JSON.stringify(fields)}\n`), error => {
      if (error) this.#lose(lost, error);
    });
  }
}
