/**
 * What belongs to a repository and is not in a dump of its refs: pull requests, branch protection, metadata. Their
 * partition contains an id that is new with every creation of a repository, so they have to move.
 */
import { SrvError } from '@srv/kernel';
import type { Kernel, KvStore } from '@srv/kernel';
import type { DumpEntry } from './dump-format.js';
import type { DumpReader } from './read-dump.js';

/** Keys that are carried. Branches, tags and commits are in the dump of the refs; the rest passes away. */
const carried = /^(?:pulls\/.|pull-(?:comments|approvals|reviewers)\/.|settings\/.|repo-metadata$)/;
const repositories = 'graveler';
/** Which pull request is about which two branches. */
const pullIndex = 'pulls';

/**
 * @returns what an entry becomes; `undefined` for one that is left out.
 * @throws SrvError `not_found` when the repository does not exist here or in the dump, `invalid` when the dump has several.
 */
export async function moveTo(
  repository: string,
  entries: DumpReader,
  { hooks }: Kernel,
  kv: KvStore,
): Promise<(entry: DumpEntry) => DumpEntry | undefined> {
  const recordKey = `repos/${repository}`;
  const uidOf = (value: Buffer): string | undefined => {
    const record = hooks.describeRecord.call(repositories, { key: Buffer.from(recordKey), value }) as { instanceUid?: string } | undefined;
    return record?.instanceUid;
  };
  const here = await kv.get(repositories, Buffer.from(recordKey));
  const uid = here && uidOf(here.value);
  if (uid === undefined) throw new SrvError('not_found', `repository ${repository} not found: create it before its records are loaded`);
  const to = `${repository}-${uid}`;
  const seen = new Set<string>();
  let stated: string | undefined;
  for await (const { partition, key, value } of entries()) {
    if (isPartitionOf(repository, partition)) seen.add(partition);
    if (partition === repositories && key === recordKey) stated = uidOf(Buffer.from(value, 'base64'));
  }
  const candidates = stated === undefined ? [...seen] : [`${repository}-${stated}`];
  const [from, ...others] = candidates;
  if (from === undefined || !seen.has(from)) throw new SrvError('not_found', `the dump has no records of repository ${repository}`);
  if (others.length > 0)
    throw new SrvError(
      'invalid',
      `the dump has records of several repositories that were named ${repository}: ${candidates.join(', ')}; remove all but one`,
    );
  const [oldIndex, newIndex] = [`repos/${from}/`, `repos/${to}/`];
  return ({ partition, key, value }) => {
    if (partition === from && carried.test(key)) return { partition: to, key, value };
    if (partition === pullIndex && key.startsWith(oldIndex)) return { partition, key: newIndex + key.slice(oldIndex.length), value };
    return undefined;
  };
}

function isPartitionOf(repository: string, partition: string): boolean {
  return partition.startsWith(`${repository}-`) && /^[0-9a-v]{20}$/.test(partition.slice(repository.length + 1));
}
