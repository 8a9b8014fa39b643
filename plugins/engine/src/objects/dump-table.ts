/** One table of a refs dump. Its records are checked as they are read: what is restored from it has to be usable. */
import { SrvError, isSrvError } from '@srv/kernel';
import { checkBranchId, checkTagId } from '@srv/lib-records';
import { decodeBranch, decodeCommit, decodeTag } from '../refs/messages/index.js';
import { decodeValue } from '../tables/format/index.js';
import type { Branch, Commit, Tag } from '../refs/contract.js';
import type { CommittedStore } from '../tables/contract.js';
import type { RefsDump } from './contract.js';

/** How the records of a kind are read, and what messages call them. */
interface DumpKind<T> {
  readonly entity: 'commit' | 'branch' | 'tag';
  readonly plural: keyof RefsDump;
  decode(data: Buffer): T;
  /** @throws SrvError `invalid`, which names the argument. */
  checkId?(id: string, argument: string): void;
}

interface DumpPlace {
  readonly tables: CommittedStore;
  readonly namespace: string;
}

const commits: DumpKind<Commit> = { entity: 'commit', plural: 'commits', decode: decodeCommit };
const branches: DumpKind<Branch> = { entity: 'branch', plural: 'branches', decode: decodeBranch, checkId: checkBranchId };
// Not the rule for new tags: tags of other programs have further characters.
const tags: DumpKind<Tag> = { entity: 'tag', plural: 'tags', decode: decodeTag, checkId: checkTagId };

const plurals = new Map<string, string>([commits, branches, tags].map(({ entity, plural }) => [entity, plural]));

/** The tables of a dump. */
export interface DumpTables {
  readonly commits: DumpTable<Commit>;
  readonly branches: DumpTable<Branch>;
  readonly tags: DumpTable<Tag>;
}

export function dumpTables(dump: RefsDump, place: DumpPlace): DumpTables {
  return {
    commits: new DumpTable(commits, dump.commits, place),
    branches: new DumpTable(branches, dump.branches, place),
    tags: new DumpTable(tags, dump.tags, place),
  };
}

class DumpTable<T extends { readonly id: string }> {
  /** `''`: the table has no records. */
  readonly metarangeId: string;
  readonly #kind: DumpKind<T>;
  readonly #place: DumpPlace;

  constructor(kind: DumpKind<T>, metarangeId: string, place: DumpPlace) {
    this.metarangeId = metarangeId;
    this.#kind = kind;
    this.#place = place;
  }

  /** @throws SrvError `invalid` when the table holds something else than its place in the manifest says. */
  async requireKind(): Promise<void> {
    if (this.metarangeId === '') return;
    const { tables, namespace } = this.#place;
    const kind = await tables.kindOf(namespace, this.metarangeId).catch((error: unknown) => this.#fail(error));
    const { plural } = this.#kind;
    if (kind === this.#kind.entity) return;
    throw new SrvError(
      'invalid',
      `${this.#argument}: ${this.metarangeId} is a table of ${plurals.get(kind) ?? 'objects'}, not of ${plural}: use the manifest as refs-dump wrote it`,
    );
  }

  async find(id: string): Promise<T | undefined> {
    const { tables, namespace } = this.#place;
    try {
      const value = await tables.get(namespace, this.metarangeId, Buffer.from(id));
      return value && this.#kind.decode(decodeValue(value).data);
    } catch (error) {
      return this.#fail(error);
    }
  }

  /** In order of ids. @throws SrvError `invalid` for a damaged table, and for an id that is not a name of the kind. */
  async *records(): AsyncGenerator<T> {
    const { tables, namespace } = this.#place;
    try {
      const cursor = await tables.cursor(namespace, this.metarangeId);
      try {
        for (await cursor.seek(Buffer.alloc(0)); cursor.valid; await cursor.next()) yield this.#checked(cursor.key, cursor.value);
      } finally {
        cursor.close();
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  async isEmpty(): Promise<boolean> {
    for await (const _ of this.records()) return false;
    return true;
  }

  /** Name of the table in manifests and bodies of requests. */
  get #argument(): string {
    return `${this.#kind.plural}_meta_range_id`;
  }

  #checked(key: Buffer, value: Buffer): T {
    const record = this.#kind.decode(decodeValue(value).data);
    const name = key.toString('utf8');
    if (record.id !== name) throw new SrvError('corrupt', `record ${JSON.stringify(name)} has the id ${JSON.stringify(record.id)}`);
    this.#kind.checkId?.(name, this.#argument);
    return record;
  }

  #fail(error: unknown): never {
    if (!isSrvError(error, 'corrupt')) throw error;
    throw new SrvError(
      'invalid',
      `the ${this.#kind.plural} of the dump (${this.metarangeId}) are damaged: restore another dump, or the files of this one from a backup`,
      { cause: error },
    );
  }
}
