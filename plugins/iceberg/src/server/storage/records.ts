/**
 * Namespaces and tables as objects of a branch, so that they are diffed, merged and reverted as all objects are.
 *
 *     _lakefs_tables/iceberg/namespaces/<namespace>/namespace.json   {"properties":{"<name>":"<value>"}}
 *     _lakefs_tables/iceberg/namespaces/<namespace>/tables/<table>   {"table-uuid":"…","metadata-location":"s3://…"}
 *     _lakefs_tables/iceberg/namespaces/<namespace>/views/<view>     {"view-uuid":"…","metadata-location":"s3://…"}
 *
 * Parts of a namespace are joined by dots; in them and in names of tables all characters but letters and digits of ASCII, `_`
 * and `-` are written `%XX`.
 */
import { SrvError, isSrvError } from '@srv/kernel';
import { CatalogError, notCommitted } from '../errors.js';
import { isObject, parseExact, writeExact } from '../exact-json.js';
import { catalogPrefix, tableAt } from '../names.js';
import type { Engine, Page, PageRequest, Repository, WriteCondition } from '@srv/engine/contract';
import type { JsonObject } from '../exact-json.js';
import type { TablePlace } from '../names.js';

/** Bytes of the longest record. */
const maxRecord = 1 << 20;
const defaultAmount = 1000;

export interface Stored<T> {
  readonly value: T;
  /** Changes with every write. */
  readonly etag: string;
}

/**
 * `unwritten`: the condition did not hold, and nothing was written. `unsure`: it does not hold any more, but the value may have been
 * there before: a commit of the branch took it, and another writer replaced it. What it refers to must stay.
 */
export type WriteOutcome = 'written' | 'unwritten' | 'unsure';

export interface NamespaceRecord extends JsonObject {
  readonly properties: Record<string, string>;
}

/** Objects of one ref. */
export class RefRecords {
  readonly #engine: Engine;
  readonly repository: Repository;
  readonly ref: string;

  constructor(engine: Engine, repository: Repository, ref: string) {
    this.#engine = engine;
    this.repository = repository;
    this.ref = ref;
  }

  async read<T extends JsonObject>(path: string): Promise<Stored<T> | undefined> {
    const entry = await this.#engine.getEntry(this.repository, this.ref, path).catch(absent);
    if (!entry) return undefined;
    const pieces: Buffer[] = [];
    if (entry.size > maxRecord) throw new CatalogError(400, 'BadRequestException', `${path} is not a record of the catalog`);
    for await (const piece of await this.#engine.open(this.repository, entry)) pieces.push(piece as Buffer);
    const value = await parseExact(Buffer.concat(pieces), path);
    if (!isObject(value)) throw new CatalogError(400, 'BadRequestException', `${path} is not a record of the catalog`);
    return { value: value as T, etag: entry.etag };
  }

  async has(path: string): Promise<boolean> {
    return (await this.#engine.getEntry(this.repository, this.ref, path).catch(absent)) !== undefined;
  }

  /** @throws CatalogError 400 for a ref that is not a branch. Other errors say in `details.unwritten` if nothing was written. */
  async write(path: string, value: JsonObject, condition?: WriteCondition): Promise<WriteOutcome> {
    const body = Buffer.from(writeExact(value));
    const request = { contentType: 'application/json', condition };
    try {
      await this.#engine.checkWrite(this.repository, this.ref, path, { condition });
    } catch (error) {
      await this.#demandChanged(error).catch(unwritten);
      return 'unwritten';
    }
    try {
      await this.#engine.putObject(this.repository, this.ref, path, body, { ...request, checked: true });
      return 'written';
    } catch (error) {
      await this.#demandChanged(error);
      return isUnwritten(error) ? 'unwritten' : 'unsure';
    }
  }

  /** @returns false when the object changed since it was read. */
  async remove(path: string, etag: string): Promise<boolean> {
    try {
      await this.#engine.deleteObjectIf(this.repository, this.ref, path, entry => entry.etag === etag);
      return true;
    } catch (error) {
      await this.#demandChanged(error);
      return false;
    }
  }

  /** Names directly below a prefix, in order: of objects, or of folders when `delimiter` is given. */
  async names(prefix: string, { after = '', amount }: { readonly after?: string | undefined; readonly amount: number }) {
    const seen = after === '' ? '' : prefix + after;
    const page = await this.#engine.list(this.repository, this.ref, { prefix, delimiter: '/', after: seen, amount });
    return { names: page.results.map(({ path }) => path.slice(prefix.length)), hasMore: page.hasMore };
  }

  async tables({ prefix = '', after = '', amount = defaultAmount }: PageRequest): Promise<Page<TablePlace>> {
    const results: TablePlace[] = [];
    const whole = catalogPrefix + prefix;
    for (let seen = after; ; ) {
      const page = await this.#engine.list(this.repository, this.ref, { prefix: whole, after: seen, amount: defaultAmount });
      for (const { path } of page.results) {
        const table = tableAt(path);
        if (table && results.length === amount) return { results, hasMore: true, nextOffset: seen };
        seen = path;
        if (table) results.push({ repository: this.repository.id, ref: this.ref, ...table });
      }
      if (!page.hasMore) return { results, hasMore: false, nextOffset: '' };
    }
  }

  async hasAny(prefix: string): Promise<boolean> {
    return (await this.#engine.list(this.repository, this.ref, { prefix, amount: 1 })).results.length > 0;
  }

  /** @throws the error, unless it says that the object changed concurrently. */
  async #demandChanged(error: unknown): Promise<void> {
    if (isSrvError(error, 'precondition_failed')) return;
    if (!isSrvError(error, 'not_found')) throw error;
    // What was not found is the object, or the branch.
    if (await this.#engine.getBranch(this.repository, this.ref).catch(absent)) return;
    throw new CatalogError(400, 'BadRequestException', `${this.ref} is not a branch; tables are changed on branches`, { cause: error });
  }
}

/** @throws the failure of {@link RefRecords.write} as that of a commit: one that has not happened, if nothing was written. */
export function failedCommit(error: unknown): never {
  throw isUnwritten(error) ? notCommitted(error) : error;
}

function isUnwritten(error: unknown): boolean {
  return isSrvError(error) && error.details['unwritten'] === true;
}

function unwritten(error: unknown): never {
  if (!isSrvError(error)) throw error;
  throw new SrvError(error.code, error.message, { cause: error, details: { ...error.details, unwritten: true } });
}

function absent(error: unknown): undefined {
  if (isSrvError(error, 'not_found', 'invalid')) return undefined;
  throw error;
}
