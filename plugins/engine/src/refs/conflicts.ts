/** Keys that both sides of a merge changed: plugins may merge their values by content. */
import { SrvError, isSrvError } from '@srv/kernel';
import { namespaceOf } from '@srv/lib-stores/block';
import { decodeValue, encodeValue } from '../tables/format/index.js';
import type { Change, CommittedStore } from '../tables/contract.js';
import type { Repository, StoredValue } from './contract.js';

/** A key that both sides have changed; absent: a side does not have it. */
export interface KeyConflict {
  readonly key: Buffer;
  readonly destination?: StoredValue | undefined;
  readonly source?: StoredValue | undefined;
  readonly base?: StoredValue;
}

/**
 * @returns what makes the merged value; `undefined`: the conflict stays.
 * @throws SrvError `conflict` with the reasons, where the values could be merged if they were others.
 */
export type ConflictResolver = (repository: Repository, conflict: KeyConflict) => Promise<(() => Promise<StoredValue>) | undefined>;

/** Metaranges of a three-way merge. */
export interface Sides {
  readonly destination: string;
  readonly source: string;
  readonly base: string;
}

/** Keys that are merged by content in one merge: what they become is held until all are known. */
const maxResolved = 10_000;

export class Conflicts {
  readonly #committed: CommittedStore;
  readonly #resolver: ConflictResolver | undefined;

  constructor(committed: CommittedStore, resolver: ConflictResolver | undefined) {
    this.#committed = committed;
    this.#resolver = resolver;
  }

  /**
   * Sides without conflicts: where both have changed a key, both have its merged value.
   * @param found the conflict that a merge ended with. @throws it, or one like it, when a conflict stays.
   */
  async resolve(repository: Repository, sides: Sides, found: unknown, signal?: AbortSignal): Promise<Sides> {
    if (!this.#resolver || !isSrvError(found, 'conflict')) throw found;
    const merges: { readonly key: Buffer; readonly make: () => Promise<StoredValue> }[] = [];
    const first = found.details['path'];
    const namespace = namespaceOf(repository);
    const { destination: left, source: right, base } = sides;
    const start = typeof first === 'string' ? { start: Buffer.from(first) } : {};
    for await (const page of this.#committed.diff({ namespace, left, right, base, ...start, signal }))
      for (const { type, key, left: destination, right: source } of page) {
        if (type !== 'conflict') continue;
        const make = await this.find(repository, base, { key, ...decoded({ destination, source }) });
        if (!make) throw conflictAt(key, found);
        if (merges.length >= maxResolved) throw conflictAt(key, found, `more than ${maxResolved} objects would be merged by content`);
        merges.push({ key, make });
      }
    if (merges.length === 0) throw found;
    const changes: Change[] = [];
    for (const { key, make } of merges) changes.push({ key, value: encodeValue(await make()) });
    const [destination, source] = await Promise.all([left, right].map(side => this.#changed(namespace, side, changes, signal)));
    return { destination: destination ?? left, source: source ?? right, base };
  }

  /** @param base metarange. @throws SrvError `conflict` with the reasons of a plugin. */
  async find(repository: Repository, base: string, conflict: Omit<KeyConflict, 'base'>): Promise<(() => Promise<StoredValue>) | undefined> {
    if (!this.#resolver) return undefined;
    const value = await this.#committed.get(namespaceOf(repository), base, conflict.key);
    try {
      return await this.#resolver(repository, { ...conflict, ...decoded({ base: value }) });
    } catch (error) {
      throw isSrvError(error, 'conflict') ? conflictAt(conflict.key, error, error.message) : error;
    }
  }

  async #changed(namespace: string, base: string, changes: readonly Change[], signal?: AbortSignal): Promise<string> {
    async function* pages(): AsyncGenerator<readonly Change[]> {
      yield changes;
    }
    return (await this.#committed.apply({ namespace, base, changes: pages(), signal })).metarangeId;
  }
}

function decoded<K extends string>(values: Readonly<Record<K, Buffer | undefined>>): { [name in K]?: StoredValue } {
  const found: { [name in K]?: StoredValue } = {};
  for (const [name, value] of Object.entries(values) as [K, Buffer | undefined][]) if (value) found[name] = decodeValue(value);
  return found;
}

function conflictAt(key: Buffer, cause: unknown, reason?: string): SrvError {
  const message = reason === undefined ? 'conflict found' : `conflict found: ${reason}`;
  return new SrvError('conflict', message, { cause, details: { path: key.toString('utf8') } });
}
