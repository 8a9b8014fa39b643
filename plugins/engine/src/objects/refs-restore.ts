/** A dump of refs, put back into a bare repository (refs rules, section 13.3). */
import { SrvError, isSrvError } from '@srv/kernel';
import { namespaceOf } from '@srv/lib-stores/block';
import { decodeBranch, decodeCommit, decodeTag } from '../refs/messages/index.js';
import { decodeValue } from '../tables/format/index.js';
import { everyBranch, everyTag } from './every-ref.js';
import type { Repository } from '../refs/contract.js';
import type { Refs } from '../refs/service.js';
import type { CommittedStore } from '../tables/contract.js';
import type { RefsDump } from './contract.js';
import type { Progress } from './tasks.js';

interface RestoreSources {
  readonly refs: Refs;
  readonly tables: CommittedStore;
}

/** Branches that a message names. */
const namedBranches = 5;

/**
 * The default branch of a dump is restored last: a repository without it, whose other branches and tags are those of the
 * dump, was left by a restore that did not finish, and may be restored again.
 * @throws SrvError `invalid` for a repository with any other branch or tag.
 */
export async function requireBare(repository: Repository, dump: RefsDump, { refs, tables }: RestoreSources): Promise<void> {
  if (await hasBranch(repository, repository.defaultBranch, refs)) throw notBare(repository, `branch ${repository.defaultBranch}`);
  const dumped = async (table: string, id: string): Promise<Buffer | undefined> => {
    const value = await tables.get(namespaceOf(repository), table, Buffer.from(id));
    return value && decodeValue(value).data;
  };
  for await (const { id, commitId } of everyBranch(refs, repository)) {
    const data = await dumped(dump.branches, id);
    if (!data || decodeBranch(data).commitId !== commitId) throw notBare(repository, `branch ${id}`);
  }
  for await (const { id, commitId } of everyTag(refs, repository)) {
    const data = await dumped(dump.tags, id);
    if (!data || decodeTag(data).commitId !== commitId) throw notBare(repository, `tag ${id}`);
  }
}

/**
 * Puts back what a dump in the repository's namespace holds, the default branch last. May be repeated after a failure.
 * @throws SrvError `invalid`, before anything is written, for a dump without the default branch.
 */
export async function restoreRefs(
  repository: Repository,
  dump: RefsDump,
  { refs, tables }: RestoreSources,
  progress: Progress,
): Promise<void> {
  const read = (metarangeId: string): AsyncIterable<Buffer> => recordData(tables, namespaceOf(repository), metarangeId);
  await requireDefaultBranch(repository, dump, tables);
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
  let last;
  for await (const data of read(dump.branches)) {
    const branch = decodeBranch(data);
    if (branch.id === repository.defaultBranch) last = branch;
    else await refs.restoreBranch(repository, branch);
  }
  await progress(2);
  for await (const data of read(dump.tags)) await refs.restoreTag(repository, decodeTag(data));
  if (last) await refs.restoreBranch(repository, last);
  await refs.requireUnmoved(repository);
  await progress(3);
}

async function hasBranch(repository: Repository, branch: string, refs: Refs): Promise<boolean> {
  try {
    await refs.getBranch(repository, branch);
    return true;
  } catch (error) {
    if (isSrvError(error, 'not_found')) return false;
    throw error;
  }
}

function notBare({ id }: Repository, ref: string): SrvError {
  return new SrvError(
    'invalid',
    `can only restore into a bare repository: ${id} has ${ref}; restore into a repository made by repo create-bare`,
    { details: { repository: id } },
  );
}

/** A repository without its default branch could not be used. The dump of a bare repository, which has nothing, is accepted. */
async function requireDefaultBranch(repository: Repository, dump: RefsDump, tables: CommittedStore): Promise<void> {
  const namespace = namespaceOf(repository);
  const { id, defaultBranch } = repository;
  if (await tables.get(namespace, dump.branches, Buffer.from(defaultBranch))) return;
  const found: string[] = [];
  for await (const data of recordData(tables, namespace, dump.branches)) {
    if (found.push(decodeBranch(data).id) > namedBranches) break;
  }
  if (found.length === 0 && (await isEmpty(tables, namespace, dump.commits))) return;
  const names = found.length > namedBranches ? `${found.slice(0, -1).join(', ')} and others` : found.join(', ') || 'no branch at all';
  throw new SrvError(
    'invalid',
    `the dump does not have ${defaultBranch}, the default branch of ${id}, but ${names}: ` +
      `delete ${id}, create it by repo create-bare with the --default-branch of the dump, and restore again`,
    { details: { repository: id, branch: defaultBranch } },
  );
}

async function isEmpty(tables: CommittedStore, namespace: string, metarangeId: string): Promise<boolean> {
  for await (const _ of recordData(tables, namespace, metarangeId)) return false;
  return true;
}

async function* recordData(tables: CommittedStore, namespace: string, metarangeId: string): AsyncGenerator<Buffer> {
  const cursor = await tables.cursor(namespace, metarangeId);
  try {
    for (await cursor.seek(Buffer.alloc(0)); cursor.valid; await cursor.next()) yield decodeValue(cursor.value).data;
  } finally {
    cursor.close();
  }
}
