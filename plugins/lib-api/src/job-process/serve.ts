/** The process of one job. It gets the job, answers once and ends; it ends with its server, too. Loads nothing: each job loads it. */
import { writeFileSync } from 'node:fs';
import { settled } from './messages.js';
import type { FromProcess } from './messages.js';

export interface JobTalk {
  /** The last word: the process ends, also while it still works. */
  answer(answer: unknown): void;
  /** Resolves when the server has settled a question. */
  ask(question: unknown): Promise<void>;
}

/** Calls `work` with the job. */
export function serveJob<Job>(work: (job: Job, talk: JobTalk) => void): void {
  // Without the server nothing reads the answer.
  process.once('disconnect', end);
  process.once('message', (job: Job) => {
    endFirstWhenMemoryIsShort();
    work(job, {
      answer: answer => process.send?.({ answer } satisfies FromProcess, undefined, undefined, end),
      ask: question =>
        new Promise(resolve => {
          process.once('message', message => message === settled && resolve());
          process.send?.({ question } satisfies FromProcess);
        }),
    });
  });
}

/**
 * Calls `exceeded` while the process has more than `bytes` of memory. The main thread must not be busy: what a thread with limits allocates
 * outside of its heap counts as well.
 */
export function watchMemory(bytes: number, exceeded: () => void): void {
  setInterval(() => {
    if (process.memoryUsage.rss() > bytes) exceeded();
  }, watchInterval).unref();
}

/** Milliseconds between two measurements. */
const watchInterval = 25;

function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** Linux ends this process rather than the server. */
function endFirstWhenMemoryIsShort(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Another system.
  }
}
