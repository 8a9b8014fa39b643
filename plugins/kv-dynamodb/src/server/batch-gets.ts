/**
 * Reads that come together, answered by one request. It is sent after all of them have begun, so nothing that is read this
 * way is older than the question for it.
 */
import { Batcher } from '@srv/lib-stores/kv';

/** Keys of one request: the most that DynamoDB takes. */
const maxItems = 100;
/** Requests at a time: with more, each would carry less. */
const maxRunning = 4;

export type Item = Readonly<Record<string, unknown>>;

export type ItemKey = { readonly PartitionKey: Buffer; readonly ItemKey: Buffer };

/** What a batch answers. */
export interface BatchAnswer {
  /** Those that exist, in any order. */
  readonly items: readonly Item[];
  /** Keys that were left over: too many bytes, or throttled. */
  readonly left: readonly Item[];
}

interface BatchGetsOptions {
  /** The item of one key, with retries of its own. */
  readonly getOne: (key: ItemKey) => Promise<Item | undefined>;
  /** Items of different keys. */
  readonly getMany: (keys: readonly ItemKey[]) => Promise<BatchAnswer>;
}

interface PendingRead {
  readonly key: ItemKey;
  readonly resolve: (item: Promise<Item | undefined> | Item | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export class BatchGets {
  readonly #options: BatchGetsOptions;
  readonly #batcher: Batcher<PendingRead>;
  /** Policies of older installations allow single reads only. */
  #isAllowed = true;

  constructor(options: BatchGetsOptions) {
    this.#options = options;
    this.#batcher = new Batcher<PendingRead>({ maxItems, maxRunning, groupOf: () => '', run: items => this.#read(items) });
  }

  get(key: ItemKey): Promise<Item | undefined> {
    return new Promise((resolve, reject) => this.#batcher.add({ key, resolve, reject }));
  }

  async #read(asked: readonly PendingRead[]): Promise<void> {
    // DynamoDB refuses a batch that names a key twice.
    const keys = new Map(asked.map(({ key }) => [nameOf(key), key]));
    if (keys.size === 1 || !this.#isAllowed) return this.#readSingly(asked);
    try {
      const { items, left } = await this.#options.getMany([...keys.values()]);
      const found = new Map(items.map(item => [nameOf(item), item]));
      const waiting = new Set(left.map(nameOf));
      for (const { key, resolve } of asked) if (!waiting.has(nameOf(key))) resolve(found.get(nameOf(key)));
      await this.#readSingly(asked.filter(({ key }) => waiting.has(nameOf(key))));
    } catch (error) {
      if (error instanceof Error && error.name === 'AccessDeniedException') {
        this.#isAllowed = false;
        await this.#readSingly(asked);
      } else for (const { reject } of asked) reject(error);
    }
  }

  /** Each key once; every caller gets its answer or its error. */
  async #readSingly(asked: readonly PendingRead[]): Promise<void> {
    const answers = new Map<string, Promise<Item | undefined>>();
    for (const { key, resolve } of asked) {
      const name = nameOf(key);
      const answer = answers.get(name) ?? this.#options.getOne(key);
      answers.set(name, answer);
      resolve(answer);
    }
    await Promise.allSettled(answers.values());
  }
}

function nameOf(item: Item): string {
  const [partition, key] = [latin1(item['PartitionKey']), latin1(item['ItemKey'])];
  return `${partition.length} ${partition}${key}`;
}

function latin1(bytes: unknown): string {
  return bytes instanceof Uint8Array ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1') : '';
}
