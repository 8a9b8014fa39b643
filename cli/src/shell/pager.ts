/** Output longer than the screen goes through the pager of the person (`PAGER`, else `less`). */
import { spawn } from 'node:child_process';
import { Writable } from 'node:stream';
import { closedSignal, offer } from '../output/outlet.js';
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
/** What a pager has taken when it certainly works: more than the system keeps on the way to one that never reads. */
const provenBytes = 1 << 20;

type Pages = <T>(signal: AbortSignal, show: (output: NodeJS.WritableStream, signal: AbortSignal) => Promise<T>) => Promise<T | undefined>;

/** @returns a pass-through where there is no terminal, or `PAGER` is `cat` or empty. */
export function pager(options: PagerOptions): Pages {
  const program = options.env['CLI_PAGER'] ?? options.env['PAGER'] ?? 'less';
  if (!options.output.isTTY || program === '' || program === 'cat') return (signal, show) => show(process.stdout, signal);
  return async (signal, show) => {
    const paged = new PagedOutput(program, options);
    const closed = closedSignal(paged);
    try {
      return await show(paged, AbortSignal.any([signal, closed]));
    } catch (error) {
      // The person has seen enough: what that interrupts is not a failure.
      if (!closed.aborted || signal.aborted) throw error;
      return undefined;
    } finally {
      await paged.finish();
    }
  };
}

/**
 * Keeps what fits on the screen; the pager starts with the first line that does not. It is closed when the person leaves the pager.
 * When there is no pager, or it fails at once, everything is shown without it.
 */
class PagedOutput extends Writable {
  readonly #program: string;
  readonly #options: PagerOptions;
  /** What may not have been seen yet. */
  #kept: Buffer[] = [];
  /** Bytes that the pager has taken after the first screen. */
  #taken = 0;
  #child: ChildProcess | undefined;
  /** The terminal is lent until the pager ends. */
  #lent: Promise<void> | undefined;
  /** What comes slowly, or without a pager, is shown as it comes. */
  #isDirect = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(program: string, options: PagerOptions) {
    super();
    this.#program = program;
    this.#options = options;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const { output } = this.#options;
    const pagerInput = this.#child?.stdin;
    if (this.#isDirect) output.write(chunk);
    else if (pagerInput) return void this.#pass(pagerInput, chunk).then(() => done(), done);
    else {
      this.#kept.push(chunk);
      this.#timer ??= setTimeout(() => this.#show(), delayMs);
      if (screenLines(Buffer.concat(this.#kept).toString(), output.columns) >= output.rows) this.#open();
    }
    done();
  }

  async #pass(pagerInput: NodeJS.WritableStream, chunk: Buffer): Promise<void> {
    if (!this.#isProven) this.#kept.push(chunk);
    if (await offer(pagerInput, chunk)) this.#taken += chunk.length;
    if (this.#isProven) this.#kept = [];
  }

  get #isProven(): boolean {
    return this.#taken > provenBytes;
  }

  #show(): void {
    clearTimeout(this.#timer);
    this.#isDirect = true;
    this.#options.output.write(Buffer.concat(this.#kept));
    this.#kept = [];
  }

  #open(): void {
    clearTimeout(this.#timer);
    const { env, lend } = this.#options;
    // The pager sets the mode of the terminal when it starts: from then on, the shell must not set it.
    this.#lent = lend(async () => {
      const child = spawn(this.#program, { shell: true, env: { LESS: 'FRX', ...env }, stdio: ['pipe', 'inherit', 'inherit'] });
      this.#child = child;
      const closed = new Promise<number | null>(resolve => {
        child.once('error', () => resolve(notFound));
        child.once('close', resolve);
      });
      child.stdin.on('error', () => {});
      child.stdin.write(Buffer.concat(this.#kept));
      const code = await closed;
      if (isFailure(code) && !this.#isProven) this.#show();
      else this.destroy();
    });
  }

  /** Everything was written. Resolves when the person has seen it. */
  async finish(): Promise<void> {
    // Pieces may still be queued.
    await new Promise<void>(resolve => {
      this.once('close', resolve);
      if (this.destroyed) resolve();
      else this.end(() => resolve());
    });
    clearTimeout(this.#timer);
    if (this.#child) this.#child.stdin?.end();
    else if (!this.#isDirect) this.#show();
    await this.#lent;
  }
}

/** Of the shell that starts the pager: it knows no such program. */
const notFound = 127;

/** The pager complained, as about an option, or could not start. Codes from 128 are those of signals, as of Ctrl-C. */
function isFailure(code: number | null): boolean {
  return code !== null && code > 0 && code < 128;
}

function screenLines(text: string, columns: number): number {
  return text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / Math.max(1, columns))), 0);
}
