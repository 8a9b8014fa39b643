/** Branches, tags and commits of a repository as tables in its own namespace (refs rules, section 13.2). */
import { identifierType, namespaceOf } from '@srv/lib-stores/block';
import { encodeBranch, encodeCommit, encodeTag } from '../refs/messages/index.js';
import { encodeValue } from '../tables/format/index.js';
import { everyBranch, everyTag } from './every-ref.js';
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
