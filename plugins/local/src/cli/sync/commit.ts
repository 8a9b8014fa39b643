/**
 * Uploads what was changed in a linked directory and commits it. The directory is compared with the branch as it is,
 * uncommitted changes included, as those will be part of the commit too.
 */
import { isAnswerError, messageOptions } from '@srv/lib-commands';
import { bring, guarded, incoming, outgoing, refuseConflicts } from './bring.js';
import { gitMetadata } from './git.js';
import { interruption } from './index-file.js';
import { withLinked } from './lock.js';
import { Workspace, folderArgument } from './workspace.js';
import type { Client, Commit as CommitRecord } from '@srv/engine/client';
import type { CommandContext, CommandInput } from '@srv/lib-commands';
import type { Outcome } from './bring.js';
import type { FoundIndex, LocalIndex } from './index-file.js';
import type { Step } from './step.js';

export interface CommitOutcome extends Outcome {
  readonly branch: string;
  /** Absent: there was nothing to commit. */
  readonly commit?: CommitRecord | undefined;
}

/**
 * @throws Error when both sides changed a path, when the branch has uncommitted changes outside of the linked place unless
 * `--force` is given, and when another operation was interrupted.
 */
export async function commit(context: CommandContext, input: CommandInput, step?: Step): Promise<CommitOutcome> {
  const told = messageOptions(input.options);
  return withLinked(folderArgument(context, input.args[0]), found => commitFrom(found, told, context, input, step));
}

async function commitFrom(
  { folder, index: found, syncedAt }: FoundIndex,
  { message, metadata }: ReturnType<typeof messageOptions>,
  context: CommandContext,
  input: CommandInput,
  step: Step | undefined,
): Promise<CommitOutcome> {
  const work = await Workspace.open(context, { folder, src: found.src, syncedAt, input, step });
  const index = found.active ? await resumed(work, found, input) : found;
  const head = await branchHead(work);
  const states = await work.changes({ base: index.head, target: work.src.ref, outcome: 'merged' });
  refuseConflicts(states, 'Move your versions elsewhere and pull, or make them equal to those of the branch.');
  const mine = outgoing(states);
  const api = await work.client();
  if (mine.length === 0 && !(await hasStaged(api, work, work.src.path))) return nothingToCommit(work, index, head);
  if (input.options.force !== true) await refuseForeignChanges(api, work);
  const marked: LocalIndex = { ...index, active: { name: 'commit' } };
  await work.mark(marked);
  const { counts } = await guarded(work, { index, marked }, 'Committing', transfer => transfer.send(mine));
  const made = await commitStaged(work, marked, async () => ({ message, metadata: { ...(await gitMetadata(folder)), ...metadata } }));
  const brought = await follow(work, marked, made?.id ?? (await branchHead(work)));
  return {
    ...brought,
    uploaded: counts.uploaded,
    removed: counts.removed + brought.removed,
    branch: work.src.ref,
    commit: made,
  };
}

/** @returns `undefined` when the branch has no uncommitted changes: what was uploaded can undo what others had. */
async function commitStaged(
  work: Workspace,
  marked: LocalIndex,
  describe: () => Promise<{ readonly message: string; readonly metadata: Record<string, string> }>,
): Promise<CommitRecord | undefined> {
  try {
    const api = await work.client();
    if (!(await hasStaged(api, work))) return undefined;
    const body = await describe();
    await work.step('commit');
    return await api.commit({ repository: work.src.repository, branch: work.src.ref, body });
  } catch (error) {
    work.context.tell(interruption(marked) ?? '');
    throw error;
  }
}

/** The rest of a commit that was made before the interruption. */
async function resumed(work: Workspace, index: LocalIndex, { options }: CommandInput): Promise<LocalIndex> {
  const { name, head } = index.active ?? {};
  if (name !== 'commit') throw new Error(interruption(index));
  work.context.warn(interruption(index) ?? '');
  await work.context.confirm('Commit', 'Continue with it', options.yes);
  if (head === undefined) return index;
  await follow(work, index, head);
  return { src: index.src, head };
}

/** The commit may hold more than the directory: what others changed. What was changed here meanwhile stays. */
async function follow(work: Workspace, index: LocalIndex, head: string): Promise<Outcome> {
  // From here on the commit is known to have been made.
  const marked: LocalIndex = { ...index, active: { name: 'commit', head } };
  await work.mark(marked);
  const states = await work.changes({ base: index.head, target: head });
  return bring(work, marked, { operation: 'commit', title: 'Syncing', head, edited: outgoing(states).length > 0 }, incoming(states));
}

async function nothingToCommit(work: Workspace, index: LocalIndex, head: string): Promise<CommitOutcome> {
  const states = head === index.head ? [] : await work.changes({ base: index.head, target: head, outcome: 'merged' });
  return { ...(await bring(work, index, { operation: 'commit', title: 'Syncing', head }, incoming(states))), branch: work.src.ref };
}

async function branchHead(work: Workspace): Promise<string> {
  const { repository, ref: branch } = work.src;
  const api = await work.client();
  return api.getBranch({ repository, branch }).then(
    found => found.commit_id,
    (error: unknown) => {
      if (!isAnswerError(error, 404, 400)) throw error;
      throw new Error(
        `${branch} is not a branch of ${repository}: only branches can be committed to; "cli local checkout --ref" links the directory with another ref`,
        { cause: error },
      );
    },
  );
}

/** Whether the branch has uncommitted changes. @param prefix only of these paths. */
async function hasStaged(api: Client, { src }: Workspace, prefix = ''): Promise<boolean> {
  const { results } = await api.diffBranch({
    repository: src.repository,
    branch: src.ref,
    amount: 1,
    prefix: prefix === '' ? undefined : prefix,
  });
  return results.length > 0;
}

/** They would become part of the commit. */
async function refuseForeignChanges(api: Client, { src, folder }: Workspace): Promise<void> {
  const { path: prefix, repository, ref: branch } = src;
  if (prefix === '') return;
  const first = async (query: { readonly after?: string; readonly prefix?: string }): Promise<string | undefined> =>
    (await api.diffBranch({ repository, branch, amount: 1, ...query })).results[0]?.path;
  /** The first path after all those that begin with `prefix`; `after` excludes the path itself. */
  const behind = `${prefix.slice(0, -1)}0`;
  const outside =
    [await first({})].find(path => path !== undefined && !path.startsWith(prefix)) ??
    (await first({ after: behind })) ??
    [await first({ prefix: behind })].find(path => path === behind);
  if (outside === undefined) return;
  throw new Error(
    `Branch ${branch} contains uncommitted changes outside of local path '${folder}', such as ${outside}.\nTo proceed, use the --force option: they will be committed too.`,
  );
}
