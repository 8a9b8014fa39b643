/** Branches, tags and commits of a repository as tables in its own namespace, and back (refs rules, section 13). */
import { SrvError, isSrvError } from '@srv/kernel';
import { identifierType, namespaceOf } from '@srv/lib-stores/block';
import { decodeBranch, decodeCommit, decodeTag, encodeBranch, encodeCommit, encodeTag } from '../refs/messages/index.js';
import { decodeValue, encodeValue } from '../tables/format/index.js';
import { dumpProperties } from './messages/refs-dump.js';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Repository } from '../refs/contract.js';
import type { Refs } from '../refs/service.js';
import type { Change, CommittedStore } from '../tables/contract.js';
import type { RefsDump } from './contract.js';
import type { Progress } from './tasks.js';

export interface RefsDumpSources {
  readonly refs: Refs;
  readonly tables: CommittedStore;
  readonly block: BlockStore;
}

const pageItems = 500;

/** Tags first, commits last: whatever a tag or branch points at is in the dump. */
export async function dumpRefs(
  repository: Repository,
  { refs, tables, block }: RefsDumpSources,
  progress: Progress,
  signal?: AbortSignal,
): Promise<RefsDump> {
  const write = async (entity: 'commit' | 'branch' | 'tag', changes: AsyncIterable<Change>): Promise<string> => {
    const request = { namespace: namespaceOf(repository), base: '', properties: dumpProperties(entity), changes: pages(changes) };
    return (await tables.apply({ ...request, signal })).metarangeId;
  };
  const tags = await write(
    'tag',
    mapped(everyTag(refs, repository), tag => row(tag.id, tag.commitId, encodeTag(tag))),
  );
  await progress(1);
  const branches = await write(
    'branch',
    mapped(everyBranch(refs, repository), ({ id, commitId, hidden }) =>
      row(id, commitId, encodeBranch({ id, commitId, hidden, stagingToken: '', sealedTokens: [], unknown: [] })),
    ),
  );
  await progress(2);
  const commits = await write(
    'commit',
    mapped(refs.commits(repository), commit => row(commit.id, commit.id, encodeCommit(commit))),
  );
  await progress(3);
  const dump = { commits, tags, branches };
  const manifest = Buffer.from(manifestText(dump, repository));
  const pointer = {
    namespace: namespaceOf(repository),
    identifier: `${await tables.folderOf(namespaceOf(repository))}/refs_manifest.json`,
    identifierType: identifierType.relative,
  };
  await block.put(pointer, manifest, { size: manifest.length });
  await refs.requireUnmoved(repository);
  return dump;
}

/** The manifest as clients keep it; of a repository with a storage id, with that. */
function manifestText({ commits, tags, branches }: RefsDump, { storageId }: Repository): string {
  const tables = { branches_meta_range_id: branches, commits_meta_range_id: commits, tags_meta_range_id: tags };
  return JSON.stringify(storageId === '' ? tables : { ...tables, repository: { storage_id: storageId } }, undefined, 2);
}

/** @throws SrvError `invalid` unless the repository is bare. */
export async function checkBare(repository: Repository, refs: Refs): Promise<void> {
  try {
    await refs.getBranch(repository, repository.defaultBranch);
  } catch (error) {
    if (isSrvError(error, 'not_found')) return;
    throw error;
  }
  throw new SrvError('invalid', 'can only restore into a bare repository', { details: { repository: repository.id } });
}

/** Puts back what a dump in the repository's namespace holds. May be repeated after a failure. */
export async function restoreRefs(
  repository: Repository,
  dump: RefsDump,
  { refs, tables }: RefsDumpSources,
  progress: Progress,
): Promise<void> {
  const read = (metarangeId: string): AsyncIterable<Buffer> => recordData(tables, namespaceOf(repository), metarangeId);
  for await (const data of read(dump.commits)) {
    const commit = decodeCommit(data);
    if (commit.generation === 0)
      throw new SrvError(
        'invalid',
        `commit ${commit.id} has no generation: dumps created by versions before v0.61.0 are no longer supported`,
      );
    await refs.restoreCommit(repository, commit);
  }
  await progress(1);
  for await (const data of read(dump.branches)) await refs.restoreBranch(repository, decodeBranch(data));
  await progress(2);
  for await (const data of read(dump.tags)) await refs.restoreTag(repository, decodeTag(data));
  await refs.requireUnmoved(repository);
  await progress(3);
}

function row(key: string, identity: string, data: Buffer): Change {
  return { key: Buffer.from(key, 'utf8'), value: encodeValue({ identity: Buffer.from(identity, 'latin1'), data }) };
}

async function* mapped<T>(items: AsyncIterable<T>, toChange: (item: T) => Change): AsyncGenerator<Change> {
  for await (const item of items) yield toChange(item);
}

async function* pages(changes: AsyncIterable<Change>): AsyncGenerator<Change[]> {
  let page: Change[] = [];
  for await (const change of changes) {
    page.push(change);
    if (page.length < pageItems) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

async function* everyTag(refs: Refs, repository: Repository) {
  for (let after = ''; ; ) {
    const { results, hasMore, nextOffset } = await refs.listTags(repository, { after, amount: 1000 });
    yield* results;
    if (!hasMore) return;
    after = nextOffset;
  }
}

async function* everyBranch(refs: Refs, repository: Repository) {
  for (let after = ''; ; ) {
    const { results, hasMore, nextOffset } = await refs.listBranches(repository, { after, amount: 1000, showHidden: true });
    yield* results;
    if (!hasMore) return;
    after = nextOffset;
  }
}

async function* recordData(tables: CommittedStore, namespace: string, metarangeId: string): AsyncGenerator<Buffer> {
  const cursor = await tables.cursor(namespace, metarangeId);
  try {
    for (await cursor.seek(Buffer.alloc(0)); cursor.valid; await cursor.next()) yield decodeValue(cursor.value).data;
  } finally {
    cursor.close();
  }
}
