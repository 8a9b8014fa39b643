/** A worker with tables, as the page asks it. */
import { Refusal, boot, sessionEnded, startWorker } from '@srv/lib-page/page';
import workerUrl from './worker.js?worker&url';
import type {
  FromTableWorker,
  Progress,
  RequestName,
  Requests,
  TableObject,
  TableShape,
  ToTableWorker,
} from '@srv/lib-records/tables/table-protocol';

interface Waiting {
  readonly resolve: (output: Requests[RequestName]['output']) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: (progress: Progress) => void;
}

export class TableClient {
  readonly #worker = startWorker(workerUrl);
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #ended: Error | undefined;

  constructor() {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<FromTableWorker>) => this.#hear(data));
    this.#worker.addEventListener('error', event => {
      event.preventDefault();
      this.end(new Error(`The table cannot be read: ${event.message || 'files of this page are gone; reload it'}`));
    });
    const { version, operations } = boot;
    this.#post({ kind: 'start', boot: { version, operations, base: document.baseURI } });
  }

  /** The first table is number 0. */
  open(object: TableObject): Promise<TableShape> {
    const { repository, ref, path, size, format, parts } = object;
    return this.ask('open', { repository, ref, path, size, format, parts });
  }

  ask<N extends RequestName>(
    name: N,
    input: Requests[N]['input'],
    onProgress: (progress: Progress) => void = () => undefined,
  ): Promise<Requests[N]['output']> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, onProgress });
      this.#post({ kind: 'ask', id, name, input });
    });
  }

  /** What waits is given up. */
  end(reason: Error = new DOMException('The table is closed.', 'AbortError')): void {
    this.#ended ??= reason;
    this.#worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }

  #post(message: ToTableWorker): void {
    this.#worker.postMessage(message);
  }

  #hear(message: FromTableWorker): void {
    if (message.kind === 'session-over') {
      sessionEnded();
      return;
    }
    const waiting = this.#waiting.get(message.id);
    if (message.kind === 'progress') {
      waiting?.onProgress(message.progress);
      return;
    }
    this.#waiting.delete(message.id);
    if (message.kind === 'done') waiting?.resolve(message.output);
    else
      waiting?.reject(
        message.status === undefined ? new Error(message.message) : new Refusal(message.status, message.message, 'getObject'),
      );
  }
}

/** Work on whole tables, in a worker of its own that ends with it. */
export async function workOn<N extends RequestName>(
  objects: readonly TableObject[],
  {
    name,
    input,
    onProgress,
    signal,
  }: {
    readonly name: N;
    readonly input: Requests[N]['input'];
    readonly onProgress: (progress: Progress) => void;
    readonly signal: AbortSignal;
  },
): Promise<Requests[N]['output']> {
  const client = new TableClient();
  const stop = (): void => client.end();
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    for (const object of objects) await client.open(object);
    return await client.ask(name, input, onProgress);
  } finally {
    signal.removeEventListener('abort', stop);
    client.end();
  }
}
