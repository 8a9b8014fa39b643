/** How workers communicate: through the process that started them. */
import { randomUUID } from 'node:crypto';
import { SrvError } from '@srv/kernel';
import type { PeerProcesses } from '@srv/kernel';
import type { ServerAddress } from './server-address.js';

/** From a worker. */
export type FromWorker =
  | { readonly kind: 'ready'; readonly address: ServerAddress | undefined }
  /** It could not start, and ends. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'ask'; readonly id: number; readonly topic: string; readonly question: unknown }
  | { readonly kind: 'answer'; readonly id: number; readonly to: number; readonly value: unknown };

/** To a worker. */
export type ToWorker =
  /** Number of other processes that were asked. */
  | { readonly kind: 'asked'; readonly id: number; readonly count: number }
  | { readonly kind: 'question'; readonly id: number; readonly from: number; readonly topic: string; readonly question: unknown }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown };

interface OpenQuestion {
  readonly answers: unknown[];
  expected: number | undefined;
  readonly done: () => void;
}

/** The channel to the process that started this one. */
interface Channel {
  send(message: FromWorker): void;
  receive(listener: (message: ToWorker) => void): void;
}

export class WorkerPeers implements PeerProcesses {
  readonly group: string;
  readonly #channel: Channel;
  readonly #handlers = new Map<string, (question: unknown) => Promise<unknown>>();
  readonly #open = new Map<number, OpenQuestion>();
  #lastId = 0;

  /** @param group what the workers of one server have in common. */
  constructor(channel: Channel, group: string) {
    this.group = group;
    this.#channel = channel;
    channel.receive(message => void this.#receive(message));
  }

  handle(topic: string, handler: (question: unknown) => Promise<unknown>): void {
    this.#handlers.set(topic, handler);
  }

  async request(topic: string, timeoutMs: number, question?: unknown): Promise<readonly unknown[]> {
    const id = ++this.#lastId;
    const answers: unknown[] = [];
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#open.set(id, { answers, expected: undefined, done: resolve });
        const late = () => reject(new SrvError('timeout', `not every worker reported its ${topic} within ${timeoutMs} ms`));
        timer = setTimeout(late, timeoutMs);
        this.#channel.send({ kind: 'ask', id, topic, question });
      });
      return answers;
    } finally {
      clearTimeout(timer);
      this.#open.delete(id);
    }
  }

  async #receive(message: ToWorker): Promise<void> {
    if (message.kind === 'question') {
      const { id, from: to, topic, question } = message;
      // A peer that cannot answer lets the request time out: half a sum would be taken for the whole.
      const value = await this.#handlers
        .get(topic)?.(question)
        .catch(() => undefined);
      if (value !== undefined) this.#channel.send({ kind: 'answer', id, to, value });
      return;
    }
    const question = this.#open.get(message.id);
    if (!question) return;
    if (message.kind === 'asked') question.expected = message.count;
    else question.answers.push(message.value);
    if (question.expected !== undefined && question.answers.length >= question.expected) question.done();
  }
}

/** The environment of a worker names its group. */
const groupVariable = 'WORKERS_GROUP';

/** A new group, as the environment of its workers. */
export function newGroup(): Readonly<Record<string, string>> {
  return { [groupVariable]: randomUUID() };
}

/** The group of this worker; programs that it starts do not belong to it. */
export function takeGroup({ env } = process): string {
  const group = env[groupVariable] ?? '';
  delete env[groupVariable];
  return group;
}

/** In the environment of a worker that replaces another one: how that one ended, for the log. */
const predecessorVariable = 'WORKERS_PREDECESSOR';

export function replacing(end: string): Readonly<Record<string, string>> {
  return { [predecessorVariable]: end };
}

/** How the worker that this one replaces has ended. */
export function takePredecessor({ env } = process): string | undefined {
  const end = env[predecessorVariable];
  delete env[predecessorVariable];
  return end;
}

/** The channel of this process. */
export function channelToPrimary(): Channel {
  return {
    send: message => void process.send?.(message),
    receive: listener => void process.on('message', listener),
  };
}
