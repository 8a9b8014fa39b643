/** Namespaces of refs: reading, creating, changing and dropping them. */
import { CatalogError } from './errors.js';
import { childrenPrefix, contentPrefix, decodedName, namespacePath } from './names.js';
import { openRef } from './storage/places.js';
import type { Engine } from '@srv/engine/contract';
import type { NamespacePlace } from './names.js';
import type { NamespaceRecord, RefRecords } from './storage/records.js';

/** Attempts when others change the same namespace. */
const tries = 20;

export interface NamePage {
  readonly names: readonly (readonly string[])[];
  /** Continues after the page; absent at the end. */
  readonly next?: string;
}

interface FoundNamespace {
  readonly value: NamespaceRecord;
  /** Absent: it has no record, only content. */
  readonly etag?: string;
}

/** @throws what the caller gets who may not create a namespace. */
export type DemandCreation = (namespace: NamespacePlace) => Promise<void>;

export class Namespaces {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The ref of a namespace, which need not exist. @throws CatalogError 404 without the ref. */
  openRef({ repository, ref }: Pick<NamespacePlace, 'repository' | 'ref'>): Promise<RefRecords> {
    return openRef(this.#engine, repository, ref);
  }

  /** The ref of a namespace, which exists. @throws CatalogError 404. */
  async open(place: NamespacePlace): Promise<RefRecords> {
    const records = await openRef(this.#engine, place.repository, place.ref);
    await this.#find(records, place.namespace);
    return records;
  }

  /**
   * Adds an object to a namespace, unless that is dropped meanwhile. The namespace gets the record that it may lack: without it,
   * the new object alone would make it exist.
   * @param add returns what takes it back, which answers false where others have changed the object: it makes the namespace exist
   * then. @throws CatalogError 404, and what `add` throws.
   */
  async addTo(records: RefRecords, namespace: readonly string[], add: () => Promise<() => Promise<boolean>>): Promise<void> {
    const { value, etag } = await this.#find(records, namespace);
    if (etag === undefined) await records.write(namespacePath(namespace), value, { ifAbsent: true });
    const takeBack = await add();
    if (await records.has(namespacePath(namespace))) return;
    if (await takeBack()) throw noNamespace(namespace);
  }

  async properties({ repository, ref, namespace }: NamespacePlace): Promise<Record<string, string>> {
    const records = await openRef(this.#engine, repository, ref);
    return (await this.#find(records, namespace)).value.properties;
  }

  /** With those around it that are missing. @throws CatalogError 409 when it exists. */
  async create(place: NamespacePlace, properties: Record<string, string>, demand: DemandCreation): Promise<void> {
    const { repository, ref, namespace } = place;
    const records = await openRef(this.#engine, repository, ref);
    await demand(place);
    if (namespace.length > 1) await this.ensure({ repository, ref, namespace: namespace.slice(0, -1) }, demand);
    const isThere = await this.#read(records, namespace);
    if (isThere || (await records.write(namespacePath(namespace), { properties }, { ifAbsent: true })) !== 'written')
      throw new CatalogError(409, 'AlreadyExistsException', `Namespace already exists: ${namespace.join('.')}`);
  }

  /** Creates what is missing of a namespace and those around it. @param demand throws where the caller may not create one. */
  async ensure({ repository, ref, namespace }: NamespacePlace, demand: DemandCreation): Promise<void> {
    const records = await openRef(this.#engine, repository, ref);
    const levels = namespace.map((_, index) => namespace.slice(0, index + 1));
    const isThere = await Promise.all(levels.map(level => records.has(namespacePath(level))));
    const missing = levels.filter((_, index) => !isThere[index]);
    for (const level of missing) await demand({ repository, ref, namespace: level });
    for (const level of missing) await records.write(namespacePath(level), { properties: {} }, { ifAbsent: true });
  }

  /** @returns names one level below a namespace or a ref, which must exist. */
  async children({ repository, ref, namespace }: NamespacePlace, { after, amount }: { after: string; amount: number }): Promise<NamePage> {
    const records = await openRef(this.#engine, repository, ref);
    if (namespace.length > 0) await this.#find(records, namespace);
    const prefix = childrenPrefix(namespace);
    const found: string[][] = [];
    // Greater than all of its namespaces deeper down.
    let last = after;
    for (let seen = after; ; ) {
      const page = await records.names(prefix, { after: seen, amount: Math.max(amount, 100) });
      for (const folder of page.names) {
        seen = folder;
        const [name = ''] = (folder.endsWith('/') && decodedName(folder.slice(0, -1))) || [];
        if (name === '') continue;
        // Namespaces deeper down stand in the same list, immediately before the one that they are in, which need not have a record.
        const own = `${folder.split(/[./]/, 1)[0]}/`;
        if (own === last) continue;
        if (found.length === amount) return { names: found, next: last };
        found.push([...namespace, name]);
        last = own;
      }
      if (!page.hasMore) return { names: found };
    }
  }

  /** @returns names of properties that were to be removed and are not there. */
  async change(place: NamespacePlace, updates: Readonly<Record<string, string>>, removals: readonly string[]): Promise<readonly string[]> {
    const records = await openRef(this.#engine, place.repository, place.ref);
    for (let attempt = 0; attempt < tries; attempt++) {
      const { value, etag } = await this.#find(records, place.namespace);
      const missing = removals.filter(name => !Object.hasOwn(value.properties, name));
      const kept = Object.entries(value.properties).filter(([name]) => !removals.includes(name));
      const properties = { ...Object.fromEntries(kept), ...updates };
      const condition = etag === undefined ? ({ ifAbsent: true } as const) : { ifMatch: etag };
      if ((await records.write(namespacePath(place.namespace), { ...value, properties }, condition)) === 'written') return missing;
    }
    throw new CatalogError(
      409,
      'CommitFailedException',
      `namespace ${place.namespace.join('.')} is being changed by others, too: try again`,
    );
  }

  /** @throws CatalogError 409 for a namespace that is not empty. */
  async drop({ repository, ref, namespace }: NamespacePlace): Promise<void> {
    const records = await openRef(this.#engine, repository, ref);
    const { value, etag } = await this.#find(records, namespace);
    await this.#demandEmpty(records, namespace);
    if (etag !== undefined && !(await records.remove(namespacePath(namespace), etag)))
      throw new CatalogError(409, 'CommitFailedException', `namespace ${namespace.join('.')} was changed concurrently: try again`);
    try {
      // A table that was created meanwhile has looked for the namespace before or after this.
      await this.#demandEmpty(records, namespace);
    } catch (error) {
      await records.write(namespacePath(namespace), value, { ifAbsent: true });
      throw error;
    }
  }

  async #demandEmpty(records: RefRecords, namespace: readonly string[]): Promise<void> {
    const path = namespacePath(namespace);
    const content = await records.names(contentPrefix(namespace), { amount: 2 });
    const holdsMore = content.names.some(name => contentPrefix(namespace) + name !== path);
    if (holdsMore || (await records.hasAny(childrenPrefix(namespace))))
      throw new CatalogError(409, 'NamespaceNotEmptyException', `Namespace is not empty: ${namespace.join('.')}`);
  }

  async #find(records: RefRecords, namespace: readonly string[]): Promise<FoundNamespace> {
    const found = await this.#read(records, namespace);
    if (!found) throw noNamespace(namespace);
    return found;
  }

  /** A merge may bring tables and namespaces to one whose record the other side removed: it exists, without properties. */
  async #read(records: RefRecords, namespace: readonly string[]): Promise<FoundNamespace | undefined> {
    const found = await records.read<NamespaceRecord>(namespacePath(namespace));
    if (found) return found;
    const hasContent = (await records.hasAny(contentPrefix(namespace))) || (await records.hasAny(childrenPrefix(namespace)));
    return hasContent ? { value: { properties: {} } } : undefined;
  }
}

function noNamespace(namespace: readonly string[]): CatalogError {
  return new CatalogError(404, 'NoSuchNamespaceException', `Namespace does not exist: ${namespace.join('.')}`);
}
