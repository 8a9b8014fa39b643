/** Runs one job in a process of its own, which is ended with the job whatever becomes of it. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SrvError } from '@srv/kernel';
import { settled } from './messages.js';
import type { FromProcess } from './messages.js';

export interface ProcessJob {
  /** Module of the process, which calls `serveJob`. */
  readonly program: URL;
  /** What JSON can express. */
  readonly job: unknown;
  /** Current folder of the process. */
  readonly folder: string;
  /** Mebibytes of JavaScript values in the main thread of the process. */
  readonly heap: number;
  /** What the job is, for errors, such as `the query`. */
  readonly name: string;
  /** Milliseconds, and the key that sets them. */
  readonly timeout: { readonly ms: number; readonly key: string };
  readonly signal: AbortSignal | undefined;
  /** Settles what the process asks before its answer. Default: it asks nothing. */
  readonly settle?: (question: unknown) => Promise<void>;
  /** In place of the answer of a process that a signal ended, as happens where memory ends. Default: that is an error. */
  readonly answerWhenKilled?: unknown;
}

/**
 * @returns what the process answers.
 * @throws SrvError `timeout`, `cancelled`, `unavailable` when it ends without an answer.
 */
export async function runInProcess({ program, job, folder, heap, name, timeout, signal, ...options }: ProcessJob): Promise<unknown> {
  const { settle = () => Promise.resolve() } = options;
  const child = fork(fileURLToPath(program), [], {
    cwd: folder,
    // None of the server's: they hold its secrets.
    env: { TZ: 'UTC' },
    execArgv: [`--max-old-space-size=${heap}`],
    stdio: 'ignore',
  });
  let timer: NodeJS.Timeout | undefined;
  let leave = (): void => undefined;
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()));
  try {
    return await new Promise<unknown>((resolve, reject) => {
      child.on('message', (message: FromProcess) => {
        if ('answer' in message) resolve(message.answer);
        else settle(message.question).then(() => child.connected && child.send(settled), reject);
      });
      child.once('error', error => reject(new SrvError('unavailable', `the process of ${name} did not start`, { cause: error })));
      child.once('exit', (code, by) => {
        if (by !== null && 'answerWhenKilled' in options) resolve(options.answerWhenKilled);
        else reject(new SrvError('unavailable', `${name} ended its process (${by ?? `code ${code}`}); the next one gets a new one`));
      });
      timer = setTimeout(() => reject(new SrvError('timeout', `${name} took longer than ${timeout.ms} ms (${timeout.key})`)), timeout.ms);
      leave = () => reject(new SrvError('cancelled', 'the request was cancelled'));
      if (signal?.aborted) leave();
      signal?.addEventListener('abort', leave, { once: true });
      child.send(job as object, error => error && reject(new SrvError('unavailable', `the process of ${name} ended`, { cause: error })));
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', leave);
    child.kill('SIGKILL');
    if (child.pid !== undefined) await ended;
  }
}
