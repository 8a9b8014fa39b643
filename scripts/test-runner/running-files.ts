/** The files that run. Who ends the tests, because they do not end, learns which files these are. */
import type { TestFile } from './test-files.js';

const signals = ['SIGINT', 'SIGTERM'] as const;

export class RunningFiles {
  readonly #begun = new Map<readonly TestFile[], number>();
  readonly #end = (signal: NodeJS.Signals): void => {
    process.stdout.write(`\n${signal}. Running at that time:\n${this.report(performance.now())}`);
    process.exit(1);
  };

  constructor() {
    for (const signal of signals) process.once(signal, this.#end);
  }

  /** @param files of one process. @returns what is called when they have ended. */
  begin(files: readonly TestFile[]): () => void {
    this.#begun.set(files, performance.now());
    return () => this.#begun.delete(files);
  }

  /** @returns a line for each process, that which began first before the others. */
  report(now: number): string {
    return [...this.#begun]
      .map(([files, begun]) => `    ${((now - begun) / 1000).toFixed(1)} s  ${files.map(({ source }) => source).join(' ')}\n`)
      .join('');
  }

  /** Signals end the process at once again. */
  close(): void {
    for (const signal of signals) process.off(signal, this.#end);
  }
}
