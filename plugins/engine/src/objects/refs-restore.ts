/** A dump of refs, put back into a bare repository (refs rules, section 13.3). */
import { SrvError, isSrvError } from '@srv/kernel';
import { namespaceOf } from '@srv/lib-stores/block';
import { dumpTables } from './dump-table.js';
import { everyBranch, everyTag } from './every-ref.js';
import type { Repository } from '../refs/contract.js';
import type { Refs } from '../refs/service.js';
import type { CommittedStore } from '../tables/contract.js';
import type { RefsDump } from './contract.js';
import type { DumpTables } from './dump-table.js';
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
  const { branches, tags } = dumpTables(dump, { tables, namespace: namespaceOf(repository) });
  for await (const { id, commitId } of everyBranch(refs, repository))
    if ((await branches.find(id))?.commitId !== commitId) throw notBare(repository, `branch ${id}`);
  for await (const { id, commitId } of everyTag(refs, repository))
    if ((await tags.find(id))?.commitId !== commitId) throw notBare(repository, `tag ${id}`);
}

/**
 * Puts back what a dump in the repository's namespace holds, the default branch last. May be repeated after a failure.
 * @throws SrvError `invalid` for a dump that is damaged, incomplete, or without the default branch: no branch or tag is
 * written then.
 */
export async function restoreRefs(
  repository: Repository,
  dump: RefsDump,
  { refs, tables }: RestoreSources,
  progress: Progress,
): Promise<void> {
  const dumped = dumpTables(dump, { tables, namespace: namespaceOf(repository) });
  await checkDump(repository, dumped);
  for await (const commit of dumped.commits.records()) {
    if (commit.generation === 0)
      throw new SrvError(
        'invalid',
        `commit ${commit.id} has no generation: dumps created by versions before v0.61.0 are no longer supported`,
      );
    await refs.restoreCommit(repository, commit);
  }
  await progress(1);
  let last;
  for await (const branch of dumped.branches.records()) {
    if (branch.id === repository.defaultBranch) last = branch;
    else await refs.restoreBranch(repository, branch);
  }
  await progress(2);
  for await (const tag of dumped.tags.records()) await refs.restoreTag(repository, tag);
  if (last) await refs.restoreBranch(repository, last);
  await refs.requireUnmoved(repository);
  await progress(3);
}

/** What can be wrong with a dump, except in its commits: these are checked when they are stored. */
async function checkDump(repository: Repository, dumped: DumpTables): Promise<void> {
  const { commits, branches, tags } = dumped;
  for (const table of [commits, branches, tags]) await table.requireKind();
  await requireDefaultBranch(repository, dumped);
  const requireCommit = async (ref: string, commitId: string): Promise<void> => {
    if (await commits.find(commitId)) return;
    throw new SrvError(
      'invalid',
      `${ref} of the dump is at commit ${commitId}, which is not among its commits (${commits.metarangeId}): ` +
        'use the ids of one manifest, or make a new dump while nothing is committed',
    );
  };
  for await (const { id, commitId } of branches.records()) await requireCommit(`branch ${id}`, commitId);
  for await (const { id, commitId } of tags.records()) await requireCommit(`tag ${id}`, commitId);
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
async function requireDefaultBranch({ id, defaultBranch }: Repository, { branches, commits }: DumpTables): Promise<void> {
  if (await branches.find(defaultBranch)) return;
  const found: string[] = [];
  for await (const branch of branches.records()) if (found.push(branch.id) > namedBranches) break;
  if (found.length === 0 && (await commits.isEmpty())) return;
  const names = found.length > namedBranches ? `${found.slice(0, -1).join(', ')} and others` : found.join(', ') || 'no branch at all';
  throw new SrvError(
    'invalid',
    `the dump does not have ${defaultBranch}, the default branch of ${id}, but ${names}: ` +
      `delete ${id}, create it by repo create-bare with the --default-branch of the dump, and restore again`,
    { details: { repository: id, branch: defaultBranch } },
  );
}
