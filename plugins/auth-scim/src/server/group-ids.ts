/**
 * Ids of groups for providers, which rename groups and expect the id to stay. A group that providers have not touched has its
 * name as its id; otherwise a record says what the group of an id is called.
 */
import { xid } from '@srv/lib-records';
import { scimPartition, updateRecord } from './scim-records.js';
import type { KvEntry, KvStore } from '@srv/kernel';

/** A rename that has begun. */
interface Renaming {
  readonly to: string;
  /** Milliseconds since 1970: when it began, or another request took it up. */
  readonly since: number;
  /** The same of its last sign of life; absent before the second. */
  readonly alive?: number | undefined;
  /** When the old group and the new one were created; absent before that is known. */
  readonly old?: string | undefined;
  readonly created?: string | undefined;
  /** The new group has everything; the old one may be half deleted. */
  readonly isCopied?: boolean | undefined;
}

interface StoredGroup {
  /** While it is renamed: the old one. */
  readonly name: string;
  readonly externalId: string;
  readonly renaming?: Renaming | undefined;
}

export interface KnownGroup extends StoredGroup {
  readonly id: string;
}

const groupKey = (id: string): Buffer => Buffer.from(`groups/${id}`, 'utf8');
const nameKey = (name: string): Buffer => Buffer.from(`groupNames/${name}`, 'utf8');

export function createGroupIds(kv: KvStore) {
  const stored = async (id: string): Promise<StoredGroup | undefined> => {
    const found = id === '' ? undefined : await kv.get(scimPartition, groupKey(id));
    return found && decodeGroup(found.value);
  };
  async function store({ id, name, externalId }: KnownGroup): Promise<KnownGroup> {
    await kv.set(scimPartition, groupKey(id), encodeGroup({ name, externalId }));
    await kv.set(scimPartition, nameKey(name), Buffer.from(id, 'utf8'));
    return { id, name, externalId };
  }
  return {
    store,
    /** What an id means; of an unknown one, the group of that name. */
    byId: async (id: string): Promise<KnownGroup> => ({ id, ...((await stored(id)) ?? { name: id, externalId: '' }) }),
    async byName(name: string): Promise<KnownGroup> {
      const found = await kv.get(scimPartition, nameKey(name));
      const id = found?.value.toString('utf8');
      const known = id === undefined ? undefined : await stored(id);
      if (id !== undefined && known?.name === name) return { id, ...known };
      const named = await stored(name);
      if (named?.name === name) return { id: name, ...named };
      // The name is the id of a group that was renamed.
      return named ? store({ id: xid(), name, externalId: '' }) : { id: name, name, externalId: '' };
    },
    create: (name: string, externalId: string): Promise<KnownGroup> => store({ id: xid(), name, externalId }),
    /**
     * What `facts` do not name stays, whatever others change at the same time.
     * @param check throws where the record, as it is now, must not be changed.
     */
    async change(
      { id, name }: KnownGroup,
      facts: Partial<StoredGroup>,
      check: (now: StoredGroup) => void = () => undefined,
    ): Promise<KnownGroup> {
      let before: StoredGroup = { name, externalId: '' };
      const lead = (to: string): Promise<void> => kv.set(scimPartition, nameKey(to), Buffer.from(id, 'utf8'));
      // Counts once the record has the name, too. In the other order, a server that ends in between would leave a group without its id.
      if (facts.name !== undefined) await lead(facts.name);
      await updateRecord(kv, groupKey(id), old => {
        if (old) before = decodeGroup(old);
        check(before);
        return encodeGroup({ ...before, ...facts });
      });
      const next = { id, ...before, ...facts };
      if (facts.name === undefined) await lead(next.name);
      if (next.name !== before.name) await kv.delete(scimPartition, nameKey(before.name));
      return next;
    },
    async forget({ id, name }: KnownGroup): Promise<void> {
      await kv.delete(scimPartition, nameKey(name));
      await kv.delete(scimPartition, groupKey(id));
    },
  };
}

export type GroupIds = ReturnType<typeof createGroupIds>;

/** For an operator. */
export function describeRecord(partition: string, { key, value }: KvEntry): unknown {
  if (partition !== scimPartition) return undefined;
  const [kind] = key.toString('utf8').split('/');
  return kind === 'groups'
    ? decodeGroup(value)
    : kind === 'users' || kind === 'locks'
      ? JSON.parse(value.toString('utf8'))
      : value.toString('utf8');
}

function encodeGroup({ name, externalId, renaming }: StoredGroup): Buffer {
  return Buffer.from(JSON.stringify({ name, externalId, renaming }), 'utf8');
}

function decodeGroup(value: Buffer): StoredGroup {
  const parsed = JSON.parse(value.toString('utf8')) as Partial<StoredGroup>;
  const { renaming } = parsed;
  return {
    name: String(parsed.name ?? ''),
    externalId: String(parsed.externalId ?? ''),
    ...(renaming === undefined ? {} : { renaming }),
  };
}
