/** Hashes of passwords: bcrypt, as existing databases hold them. */
import { Worker } from 'node:worker_threads';
import { SrvError } from '@srv/kernel';

export interface PasswordQuestion {
  readonly id: number;
  readonly password: string;
  /** Absent: a hash is requested. */
  readonly hash?: string;
  readonly cost: number;
}

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

export const shortest = 8;
/** Bytes in UTF-8: the algorithm ignores any more. */
const longest = 72;
/** Questions that may wait: each costs a thread tens of milliseconds. */
const mostWaiting = 200;
const shape = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/;
/** Matches no password: compared with if the user does not exist, so that the time does not reveal it. */
const dummyHash = '$2b$10$CwTycUXWue0Thq9StjUM0uJ8.cUNR0uLOKqGPYVNPKsTqQd6rqvqy';

/** @throws SrvError `invalid` that says how long a password must be. */
export function checkPassword(password: string): void {
  const tooLong = Buffer.byteLength(password) > longest;
  if ([...password].length < shortest || tooLong)
    throw new SrvError('invalid', `password: must be at least ${shortest} characters and at most ${longest} bytes long`);
}

export class Passwords {
  readonly #cost: number;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #last = 0;

  /** @param cost logarithm of the rounds. */
  constructor(cost = 10) {
    this.#cost = cost;
  }

  async hash(password: string): Promise<string> {
    return String(await this.#ask({ password }));
  }

  /** @param hash empty or not one: the answer is no, after the same time. */
  async matches(password: string, hash: string): Promise<boolean> {
    const known = shape.test(hash);
    const right = await this.#ask({ password, hash: known ? hash : dummyHash });
    return known && right === true;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #ask(question: Pick<PasswordQuestion, 'password' | 'hash'>): Promise<unknown> {
    if (this.#waiting.size >= mostWaiting) throw new SrvError('slow_down', 'too many passwords are being checked: try again');
    const id = ++this.#last;
    const worker = this.#running();
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ id, cost: this.#cost, ...question } satisfies PasswordQuestion);
    });
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./password-worker.js', import.meta.url));
    worker.unref();
    worker.on('message', ({ id, answer }: { id: number; answer: unknown }) => {
      this.#waiting.get(id)?.resolve(answer);
      this.#waiting.delete(id);
    });
    worker.on('error', error => this.#fail(error));
    worker.on('exit', () => this.#fail(new SrvError('closed', 'the server is shutting down')));
    this.#worker = worker;
    return worker;
  }

  #fail(error: unknown): void {
    this.#worker = undefined;
    const reason = error instanceof Error ? error : new Error(String(error));
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }
}
