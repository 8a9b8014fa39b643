/**
 * Requests that come together, answered by one statement: reads of one partition, first records of one partition, deletions
 * of one partition, writes of any. A statement is sent after all its requests have begun, so nothing that is read this way is
 * older than the request for it.
 */
import { isSrvError } from '@srv/kernel';
import { Batcher } from '@srv/lib-stores/kv';
import type { Connections } from './connections.js';
import type { Statement, Statements } from './statements.js';

/** Requests of one statement. */
const maxItems = 200;
/** Statements of one kind at a time: with more, each would carry less. */
const maxRunning = 3;
/** Bytes from which a value is worth a statement of its own. */
const largeValue = 16 * 1024;

type Row = readonly Buffer[];

interface PendingRequest<Result> {
  readonly partition: string;
  readonly key: Buffer;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface PendingWrite extends PendingRequest<boolean> {
  readonly value: Buffer;
}

export class StatementBatcher {
  readonly #connections: Connections;
  readonly #statements: Statements;
  readonly #gets: Batcher<PendingRequest<Row | undefined>>;
  readonly #firsts: Batcher<PendingRequest<Row | undefined>>;
  readonly #deletions: Batcher<PendingRequest<void>>;
  readonly #sets: Batcher<PendingWrite>;
  readonly #insertions: Batcher<PendingWrite>;

  constructor(connections: Connections, statements: Statements) {
    this.#connections = connections;
    this.#statements = statements;
    const common = { maxItems, maxRunning };
    const partitionOf = ({ partition }: { readonly partition: string }): string => partition;
    const anywhere = { ...common, groupOf: () => '', nameOf };
    this.#gets = new Batcher<PendingRequest<Row | undefined>>({
      ...common,
      groupOf: partitionOf,
      run: items => this.#read(items, statements.getMany),
    });
    this.#firsts = new Batcher<PendingRequest<Row | undefined>>({
      ...common,
      groupOf: partitionOf,
      run: items => this.#read(items, statements.firstMany),
    });
    this.#deletions = new Batcher<PendingRequest<void>>({ ...common, groupOf: partitionOf, run: items => this.#delete(items) });
    this.#sets = new Batcher<PendingWrite>({ ...anywhere, run: items => this.#write(items, statements.setMany) });
    this.#insertions = new Batcher<PendingWrite>({ ...anywhere, run: items => this.#write(items, statements.insertMany) });
  }

  async get(partition: string, key: Buffer): Promise<Buffer | undefined> {
    const row = await new Promise<Row | undefined>((resolve, reject) => this.#gets.add({ partition, key, resolve, reject }));
    return row?.[0];
  }

  /** Key and value of the first record that is not below `key`. */
  first(partition: string, key: Buffer): Promise<Row | undefined> {
    return new Promise((resolve, reject) => this.#firsts.add({ partition, key, resolve, reject }));
  }

  delete(partition: string, key: Buffer): Promise<void> {
    return new Promise((resolve, reject) => this.#deletions.add({ partition, key, resolve, reject }));
  }

  async set(partition: string, key: Buffer, value: Buffer): Promise<void> {
    const { set } = this.#statements;
    if (value.length > largeValue) await this.#connections.write(set, [Buffer.from(partition), key, value]);
    else await new Promise<boolean>((resolve, reject) => this.#sets.add({ partition, key, value, resolve, reject }));
  }

  /** @returns `false` when the key has a record already. */
  async insert(partition: string, key: Buffer, value: Buffer): Promise<boolean> {
    const { insert } = this.#statements;
    if (value.length > largeValue) return (await this.#connections.write(insert, [Buffer.from(partition), key, value])).count === 1;
    return new Promise((resolve, reject) => this.#insertions.add({ partition, key, value, resolve, reject }));
  }

  /** @param statement its rows begin with the key that was asked for. */
  async #read(items: readonly PendingRequest<Row | undefined>[], statement: Statement): Promise<void> {
    try {
      const found = new Map<string, Row>();
      for (const [asked, ...row] of await this.#connections.read(statement, valuesOf(items)))
        if (asked) found.set(asked.toString('latin1'), row);
      for (const { key, resolve } of items) resolve(found.get(key.toString('latin1')));
    } catch (error) {
      for (const { reject } of items) reject(error);
    }
  }

  async #delete(items: readonly PendingRequest<void>[]): Promise<void> {
    try {
      await this.#connections.write(this.#statements.deleteMany, valuesOf(items));
      for (const { resolve } of items) resolve();
    } catch (error) {
      for (const { reject } of items) reject(error);
    }
  }

  async #write(items: readonly PendingWrite[], statement: Statement): Promise<void> {
    try {
      // In one order everywhere: two statements that write the same records do not wait for each other in a circle.
      const sorted = items.toSorted((a, b) =>
        a.partition === b.partition ? Buffer.compare(a.key, b.key) : a.partition < b.partition ? -1 : 1,
      );
      const columns = [
        sorted.map(({ partition }) => Buffer.from(partition)),
        sorted.map(({ key }) => key),
        sorted.map(({ value }) => value),
      ];
      const { rows } = await this.#connections.write(statement, columns);
      const written = new Set(rows.map(([partition, key]) => nameOf({ partition: String(partition), key: key ?? Buffer.alloc(0) })));
      for (const item of items) item.resolve(written.has(nameOf(item)));
    } catch (error) {
      // One that cannot be stored has stopped the others: the statement has written nothing.
      const isOneOfMany = items.length > 1 && isSrvError(error, 'invalid');
      if (isOneOfMany) await Promise.all(items.map(item => this.#write([item], statement)));
      else for (const { reject } of items) reject(error);
    }
  }
}

function valuesOf(items: readonly { readonly partition: string; readonly key: Buffer }[]): readonly [Buffer, readonly Buffer[]] {
  return [Buffer.from(items[0]?.partition ?? ''), items.map(({ key }) => key)];
}

function nameOf({ partition, key }: { readonly partition: string; readonly key: Buffer }): string {
  return `${partition.length} ${partition}${key.toString('latin1')}`;
}
