/** Runs one job in a process of its own, which is ended with the job whatever becomes of it. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SrvError } from '@srv/kernel';
import { tablesMade } from '../engine/job.js';
import type { Job, JobAnswer } from '../engine/job.js';

/** Mebibytes of JavaScript values in the process. */
const heap = 64;
const program = fileURLToPath(new URL('../engine/worker.js', import.meta.url));

export interface ProcessOptions {
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  /** Takes files in Parquet before the query runs. */
  readonly takeTables: () => Promise<void>;
}

/**
 * @returns what the process answers.
 * @throws SrvError `timeout`, `cancelled`, `unavailable` when it ends without an answer.
 */
export async function runInProcess(job: Job, { timeout, signal, takeTables }: ProcessOptions): Promise<JobAnswer> {
  const child = fork(program, [], {
    cwd: job.folder,
    // None of the server's: they hold its secrets.
    env: { TZ: 'UTC' },
    execArgv: [`--max-old-space-size=${heap}`],
    stdio: 'ignore',
  });
  let timer: NodeJS.Timeout | undefined;
  let leave = (): void => undefined;
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()));
  try {
    return await new Promise<JobAnswer>((resolve, reject) => {
      child.on('message', (answer: JobAnswer | typeof tablesMade) => {
        if (answer === tablesMade) takeTables().then(() => child.connected && child.send('taken'), reject);
        else resolve(answer);
      });
      child.once('error', error => reject(new SrvError('unavailable', 'the process of the query did not start', { cause: error })));
      child.once('exit', (code, by) =>
        reject(new SrvError('unavailable', `the query ended its process (${by ?? `code ${code}`}); the next one gets a new one`)),
      );
      timer = setTimeout(() => reject(new SrvError('timeout', `the query took longer than ${timeout} ms (sql_engine.timeout)`)), timeout);
      leave = () => reject(new SrvError('cancelled', 'the request was cancelled'));
      if (signal?.aborted) leave();
      signal?.addEventListener('abort', leave, { once: true });
      child.send(job, error => error && reject(new SrvError('unavailable', 'the process of the query ended', { cause: error })));
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', leave);
    child.kill('SIGKILL');
    if (child.pid !== undefined) await ended;
  }
}
