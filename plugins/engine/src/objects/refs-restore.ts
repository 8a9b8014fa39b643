/** A dump of refs, put back into a bare repository (refs rules, section 13.3). */
import { SrvError } from '@srv/kernel';
import { namespaceOf } from '@srv/lib-stores/block';
import { dumpTables } from './dump-table.js';
import { everyBranch, everyTag } from './every-ref.js';
import { hasBranch } from './has-branch.js';
import type { Branch, Repository } from '../refs/contract.js';
import type { Refs } from '../refs/service.js';
import type { CommittedStore } from '../tables/contract.js';
import type { RefsDump } from './contract.js';
import type { DumpTables } from './dump-table.js';
import type { Progress } from './tasks.js';

interface RestoreSources {
  readonly refs: Refs;
  readonly tables: CommittedStore;
}

/** Branches or tags that a message names. */
const namedRefs = 5;

/**
 * The default branch of a dump is restored last: a repository without it, whose other branches and tags are those of the
 * dump, was left by a restore that did not finish, and may be restored again.
 * @throws SrvError `invalid` for a repository with any other branch or tag.
 */
export async function requireBare(repository: Repository, dump: RefsDump, { refs, tables }: RestoreSources): Promise<void> {
  if (await hasBranch(refs, repository, repository.defaultBranch)) throw notBare(repository, `branch ${repository.defaultBranch}`);
  const { branches, tags } = dumpTables(dump, { tables, namespace: namespaceOf(repository) });
  for await (const { id, commitId } of everyBranch(refs, repository))
    if ((await branches.find(id))?.commitId !== commitId) throw notBare(repository, `branch ${id}`);
  for await (const { id, commitId } of everyTag(refs, repository))
    if ((await tags.find(id))?.commitId !== commitId) throw notBare(repository, `tag ${id}`);
}

/**
 * Puts back what a dump in the repository's namespace holds, the default branch last. May be repeated after a failure.
 *
 * Programs that dump commits first, as lakeFS does in the background, may leave branches and tags in a dump that are at
 * newer commits: these are left out, and the error at the end names them.
 * @throws SrvError `invalid` for a dump that is damaged, of several moments, or without the default branch: no branch or tag
 * is written then.
 */
export async function restoreRefs(
  repository: Repository,
  dump: RefsDump,
  { refs, tables }: RestoreSources,
  progress: Progress,
): Promise<void> {
  const dumped = dumpTables(dump, { tables, namespace: namespaceOf(repository) });
  const left = await checkDump(repository, dumped);
  for await (const commit of dumped.commits.records()) {
    if (commit.generation === 0)
      throw new SrvError(
        'invalid',
        `commit ${commit.id} has no generation: dumps created by versions before v0.61.0 are no longer supported`,
      );
    await refs.restoreCommit(repository, commit);
  }
  await progress(1);
  const isComplete = async ({ commitId }: Pick<Branch, 'commitId'>): Promise<boolean> =>
    left.count === 0 || (await dumped.commits.find(commitId)) !== undefined;
  let last: Branch | undefined;
  for await (const branch of dumped.branches.records()) {
    if (!(await isComplete(branch))) continue;
    if (branch.id === repository.defaultBranch) last = branch;
    else await refs.restoreBranch(repository, branch);
  }
  await progress(2);
  for await (const tag of dumped.tags.records()) if (await isComplete(tag)) await refs.restoreTag(repository, tag);
  if (last) await refs.restoreBranch(repository, last);
  await refs.requireUnmoved(repository);
  await progress(3);
  if (left.count > 0)
    throw new SrvError(
      'invalid',
      `restored, except ${left.names}, whose commits are not among those of the dump (${dump.commits}): ` +
        'create them at other commits, or use the ids of one manifest',
    );
}

/** What can be wrong with a dump, except in its commits: these are checked when they are stored. @returns what it has without its commit. */
async function checkDump(repository: Repository, dumped: DumpTables): Promise<LeftOut> {
  const { commits, branches, tags } = dumped;
  for (const table of [commits, branches, tags]) await table.requireKind();
  await requireDefaultBranch(repository, dumped);
  const left = new LeftOut();
  let complete = 0;
  const judge = async (ref: string, commitId: string): Promise<void> => {
    if (await commits.find(commitId)) complete++;
    else left.add(`${ref} at ${commitId}`);
  };
  for await (const { id, commitId } of branches.records()) await judge(`branch ${id}`, commitId);
  for await (const { id, commitId } of tags.records()) await judge(`tag ${id}`, commitId);
  if (left.count === 0 || complete > 0) return left;
  throw new SrvError(
    'invalid',
    `the dump has ${left.names}, but none of their commits (${dumped.commits.metarangeId}): use the ids of one manifest`,
  );
}

/** Branches and tags that cannot be restored; the first ones by name. */
class LeftOut {
  count = 0;
  readonly #first: string[] = [];

  add(ref: string): void {
    if (this.count++ < namedRefs) this.#first.push(ref);
  }

  get names(): string {
    return this.#first.join(', ') + (this.count > namedRefs ? ` and ${this.count - namedRefs} more` : '');
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
  for await (const branch of branches.records()) if (found.push(branch.id) > namedRefs) break;
  if (found.length === 0 && (await commits.isEmpty())) return;
  const names = found.length > namedRefs ? `${found.slice(0, -1).join(', ')} and others` : found.join(', ') || 'no branch at all';
  throw new SrvError(
    'invalid',
    `the dump does not have ${defaultBranch}, the default branch of ${id}, but ${names}: ` +
      `delete ${id}, create it by repo create-bare with the --default-branch of the dump, and restore again`,
    { details: { repository: id, branch: defaultBranch } },
  );
}
