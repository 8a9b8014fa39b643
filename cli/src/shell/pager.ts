/** Output longer than the screen goes through the pager of the person (`PAGER`, else `less`). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import type { ChildProcess } from 'node:child_process';
import type { WriteStream } from 'node:tty';

interface PagerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly output: Pick<WriteStream, 'rows' | 'columns' | 'isTTY' | 'write'>;
  /** Gives the terminal to the pager while it runs. */
  readonly lend: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Milliseconds that output may be kept until it fills the screen. */
const delayMs = 300;

type Pages = <T>(signal: AbortSignal, show: (output: NodeJS.WritableStream) => Promise<T>) => Promise<T>;

/** @returns a pass-through where there is no terminal, or `PAGER` is `cat` or empty. */
export function pager(options: PagerOptions): Pages {
  const program = options.env['CLI_PAGER'] ?? options.env['PAGER'] ?? 'less';
  if (!options.output.isTTY || program === '' || program === 'cat') return (_signal, show) => show(process.stdout);
  return async (_signal, show) => {
    const paged = new PagedOutput(program, options);
    try {
      return await show(paged);
    } finally {
      await paged.finish();
    }
  };
}

/** Keeps what fits on the screen; the pager starts with the first line that does not. */
class PagedOutput extends Writable {
  readonly #program: string;
  readonly #options: PagerOptions;
  #kept = '';
  #child: ChildProcess | undefined;
  /** The terminal is lent until the pager ends. */
  #lent: Promise<void> | undefined;
  /** The user has left the pager, or the program does not exist. */
  #isGone = false;
  /** What comes slowly is shown as it comes. */
  #isSlow = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(program: string, options: PagerOptions) {
    super({ decodeStrings: false });
    this.#program = program;
    this.#options = options;
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const { output } = this.#options;
    const pagerInput = this.#child?.stdin;
    if (pagerInput) {
      if (this.#isGone || pagerInput.write(chunk)) done();
      else {
        const go = (): void => done();
        pagerInput.once('drain', go);
        this.#child?.once('close', go);
      }
      return;
    }
    if (this.#isSlow) output.write(chunk);
    else {
      this.#kept += chunk.toString();
      this.#timer ??= setTimeout(() => this.#show(), delayMs);
      if (screenLines(this.#kept, output.columns) >= output.rows) this.#open();
    }
    done();
  }

  #show(): void {
    this.#isSlow = true;
    this.#options.output.write(this.#kept);
  }

  #open(): void {
    clearTimeout(this.#timer);
    const { env, output, lend } = this.#options;
    const child = spawn(this.#program, { shell: true, env: { LESS: 'FRX', ...env }, stdio: ['pipe', 'inherit', 'inherit'] });
    this.#child = child;
    const closed = once(child, 'close').then(
      () => {},
      () => {},
    );
    this.#lent = lend(() => closed).finally(() => {
      this.#isGone = true;
    });
    child.stdin.on('error', () => {});
    child.stdin.write(this.#kept);
    child.once('close', code => {
      // The shell knows no such program: nothing was shown.
      if (code === 127) output.write(this.#kept);
    });
  }

  /** Everything was written. Resolves when the person has seen it. */
  async finish(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#child) this.#child.stdin?.end();
    else if (!this.#isSlow) this.#options.output.write(this.#kept);
    await this.#lent;
  }
}

function screenLines(text: string, columns: number): number {
  return text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / Math.max(1, columns))), 0);
}
