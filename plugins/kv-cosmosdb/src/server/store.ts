/** The key-value contract on a Cosmos DB container. Predicates are the ETags of the documents. */
import { setMaxListeners } from 'node:events';
import { SrvError, absent, checkKey, present, throwIfAborted } from '@srv/kernel';
import { decode } from './base32hex.js';
import { documentOf, idOf, partitionKeyOf } from './document.js';
import { explain, statusOf } from './errors.js';
import { scanPages } from './scan.js';
import type { Container } from '@azure/cosmos';
import type { Condition, KvEntry, KvStore, KvValue, ScanOptions } from '@srv/kernel';
import type { KvDocument } from './document.js';

interface CosmosdbKvStoreOptions {
  readonly container: Container;
  /** Container and endpoint, for messages. */
  readonly place: string;
  /** Gives up the connections. */
  readonly close: () => void;
}

type Send<T> = (options: { abortSignal?: AbortSignal }) => Promise<T>;

/** What says that a condition does not hold: the document is there, is not there, or has changed. */
const conditionFailed = { create: [409], patch: [404], replace: [404, 412] } as const;

export class CosmosdbKvStore implements KvStore {
  readonly type = 'cosmosdb';
  readonly #options: CosmosdbKvStoreOptions;
  readonly #running = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(options: CosmosdbKvStoreOptions) {
    this.#options = options;
  }

  async get(partition: string, key: Buffer, signal?: AbortSignal): Promise<KvValue | undefined> {
    checkKey(partition, key);
    const item = this.#item(partition, key);
    const { resource: found } = await this.#send(signal, options => item.read<KvDocument>(options));
    return found && { value: decode(found.value), predicate: { kvPredicate: found._etag } };
  }

  async set(partition: string, key: Buffer, value: Buffer, signal?: AbortSignal): Promise<void> {
    checkKey(partition, key, value);
    const document = documentOf(partition, key, value);
    await this.#send(signal, options => this.#items.upsert(document, options));
  }

  async setIf(partition: string, key: Buffer, value: Buffer, condition: Condition, signal?: AbortSignal): Promise<boolean> {
    checkKey(partition, key, value);
    const document = documentOf(partition, key, value);
    const item = this.#item(partition, key);
    if (condition === absent) return this.#try(signal, conditionFailed.create, options => this.#items.create(document, options));
    if (condition === present) {
      const operations = [{ op: 'replace' as const, path: '/value', value: document.value }];
      return this.#try(signal, conditionFailed.patch, options => item.patch(operations, options));
    }
    const { kvPredicate: etag } = condition;
    if (typeof etag !== 'string') throw new SrvError('invalid', 'the predicate was not made by this store; hand back what get returned');
    const accessCondition = { type: 'IfMatch', condition: etag };
    return this.#try(signal, conditionFailed.replace, options => item.replace(document, { ...options, accessCondition }));
  }

  async delete(partition: string, key: Buffer, signal?: AbortSignal): Promise<void> {
    checkKey(partition, key);
    const item = this.#item(partition, key);
    await this.#try(signal, [404], options => item.delete(options));
  }

  async *scan(partition: string, { start = Buffer.alloc(0), batchSize, signal }: ScanOptions = {}): AsyncGenerator<readonly KvEntry[]> {
    if (partition === '') throw new SrvError('invalid', 'missing partition key');
    yield* scanPages({
      container: this.#options.container,
      partitionKey: partitionKeyOf(partition),
      start,
      batchSize,
      send: send => this.#send(signal, send),
      get: async key => (await this.get(partition, key, signal))?.value,
    });
  }

  /** Waits for what is under way. */
  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#running).then(() => this.#options.close());
    return this.#closing;
  }

  get #items() {
    return this.#options.container.items;
  }

  #item(partition: string, key: Buffer) {
    return this.#options.container.item(idOf(key), partitionKeyOf(partition));
  }

  /** @returns `false` when the service answers with one of the statuses that say no. */
  async #try(signal: AbortSignal | undefined, no: readonly number[], send: Send<unknown>): Promise<boolean> {
    return this.#send(signal, async options => {
      try {
        await send(options);
        return true;
      } catch (error) {
        if (no.includes(statusOf(error) ?? 0)) return false;
        throw error;
      }
    });
  }

  async #send<T>(signal: AbortSignal | undefined, send: Send<T>): Promise<T> {
    if (this.#closing) throw new SrvError('closed', 'the key-value store has been closed');
    throwIfAborted(signal);
    // One signal may stand for any number of requests at a time.
    if (signal) setMaxListeners(0, signal);
    const answer = send(signal ? { abortSignal: signal } : {});
    this.#running.add(answer);
    try {
      return await (signal ? untilAborted(answer, signal) : answer);
    } catch (error) {
      throwIfAborted(signal);
      throw explain(error, this.#options.place);
    } finally {
      this.#running.delete(answer);
    }
  }
}

/** The SDK looks at the signal only while a request is under way, not while it waits to send it again. */
function untilAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new SrvError('cancelled', 'the request was cancelled', { cause: signal.reason }));
    signal.addEventListener('abort', abort, { once: true });
    answer.finally(() => signal.removeEventListener('abort', abort)).then(resolve, reject);
  });
}
