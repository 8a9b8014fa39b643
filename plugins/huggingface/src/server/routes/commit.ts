/** Uploads: which way each file takes, and the commit of them, which happens as a whole or not at all. */
import { demandBytes } from '@srv/engine/objects/present-bytes';
import { isSrvError } from '@srv/kernel';
import { may, objectArn } from '@srv/lib-api';
import { jsonResponse, wholeBody } from '@srv/lib-api/http';
import { namespaceOf } from '@srv/lib-stores/block';
import { urlOf } from '../address.js';
import { isRecord, readJson, textMember } from '../body.js';
import { CommitChanges } from '../commit/changes.js';
import { ContentStore, largeBytes } from '../commit/content.js';
import { readLines } from '../commit/lines.js';
import { entryAt } from '../entry-at.js';
import { HubError } from '../errors.js';
import { blobKey, sha256Of } from '../files.js';
import { isProposal, openProposal, startProposal } from '../proposals.js';
import { aliasOf } from '../revision.js';
import { targetOf } from './target.js';
import type { Branch, Commit, Repository } from '@srv/engine/contract';
import type { RepoContext, RepoRoute } from '../context.js';
import type { Target } from './target.js';

/** Failures after which the commit, or the pull request, is known not to exist. */
const refusals = [
  'invalid',
  'unsupported',
  'denied',
  'forbidden',
  'read_only',
  'protected',
  'not_found',
  'conflict',
  'no_changes',
  'dirty_branch',
  'gone',
  'precondition_failed',
  'hook_aborted',
] as const;

/** Files that are there already need not be sent. */
export const preupload: RepoRoute = async context => {
  const { engine, face, repo } = context;
  const { repository, branch } = await targetOf(context);
  const { files } = await readJson(context);
  if (!Array.isArray(files) || files.length > 1000) throw new HubError(400, 'files is not a list of at most 1000');
  const byLfs = takesLfs(context);
  const answers: object[] = [];
  for (const file of files) {
    const path = isRecord(file) ? textMember(file, 'path') : undefined;
    if (path === undefined) throw new HubError(400, 'a file has no path');
    const mayRead = await face.may(may('fs:ReadObject', objectArn(repo.repository, path)));
    const entry = mayRead && path !== '' ? await entryAt(engine, repository, branch.commitId, path) : undefined;
    const uploadMode = byLfs && isLarge(file) ? 'lfs' : 'regular';
    const oid = entry && (uploadMode === 'lfs' ? sha256Of(entry) : entry.metadata[blobKey]);
    answers.push({ path, uploadMode, shouldIgnore: false, ...(oid === undefined ? {} : { oid }) });
  }
  return jsonResponse(200, { files: answers });
};

/** The Python client, which then sends them by Xet or by LFS, as it prefers; of others it is not known that they can. */
function takesLfs({ largeFiles, request }: RepoContext): boolean {
  if (largeFiles !== 'auto') return largeFiles === 'lfs';
  return /\bhf_hub\/\d/.test(request.headers['user-agent'] ?? '');
}

/** Large files, and those that are not text: some clients remove the latter once LFS has them. */
function isLarge(file: unknown): boolean {
  if (!isRecord(file)) return false;
  const sample = Buffer.from(textMember(file, 'sample') ?? '', 'base64');
  return (typeof file['size'] === 'number' && file['size'] >= largeBytes) || (sample.length > 0 && sample.includes(0));
}

export const commit: RepoRoute = async context => {
  const { engine, repo, origin } = context;
  const target = await targetOf(context);
  const answer = ({ id }: Commit, more: object = {}) => {
    const alias = aliasOf(id);
    return jsonResponse(200, {
      success: true,
      commitOid: alias,
      commitUrl: `${urlOf(origin, repo)}/commit/${alias}`,
      hookOutput: '',
      ...more,
    });
  };
  if (!isProposal(context)) return answer((await commitTo(context, target)).made);
  const { repository, branch: into } = target;
  const { branch, number } = await startProposal(context, repository, into);
  let hasCommit = false;
  try {
    const { made, message } = await commitTo(context, { repository, branch });
    hasCommit = true;
    await openProposal(context, repository, into, { branch, message });
    return answer(made, { pullRequestUrl: `${urlOf(origin, repo)}/discussions/${number}` });
  } catch (error) {
    // A pull request that may exist needs its branch.
    if (!hasCommit || isSrvError(error, ...refusals)) await engine.deleteBranch(repository, branch.id).catch(() => undefined);
    throw error;
  }
};

/** Reads the lines of a commit and makes it. */
async function commitTo(
  context: RepoContext,
  { repository, branch }: Target,
): Promise<{ readonly made: Commit; readonly message: string }> {
  const { engine, block, log, face } = context;
  if ((await engine.diffUncommitted(repository, branch.id, { amount: 1 })).results.length > 0)
    throw new HubError(
      412,
      `the branch ${branch.id} has uncommitted changes, which this commit would mix with: commit or reset them first`,
    );
  const contents = new ContentStore({ engine, block, log, repository, signal: face.signal });
  let hasBegun = false;
  try {
    const head = await engine.getCommit(repository, branch.commitId);
    const changes = new CommitChanges(context, { repository, head });
    face.acceptBody();
    for await (const line of readLines(wholeBody(context.request), () => contents.openFile())) await changes.add(line);
    await changes.settle();
    const begin = (): void => {
      hasBegun = true;
    };
    const made = await commitChanges(context, { repository, branch, head, changes, begin });
    await contents.removeAllBut(new Set(changes.addresses));
    return { made, message: changes.message };
  } catch (error) {
    // A commit that may exist needs its contents, even if the client has left.
    if (!hasBegun || isSrvError(error, ...refusals)) await contents.removeAllBut(new Set());
    throw error;
  }
}

interface NewCommit {
  readonly repository: Repository;
  readonly branch: Branch;
  readonly head: Commit;
  readonly changes: CommitChanges;
  /** Called before the commit is made: from then on it may exist, whatever is thrown. */
  readonly begin: () => void;
}

function commitChanges({ engine, block, face }: RepoContext, { repository, branch, head, changes, begin }: NewCommit): Promise<Commit> {
  return engine.withPins(repository, { addresses: changes.addresses }, async () => {
    await demandBytes(block, repository, changes.oldContents).catch((error: unknown) => {
      if (isSrvError(error, 'no_data'))
        throw new HubError(
          410,
          `the content for ${String(error.details['path'])} was removed, such as by garbage collection: upload it again`,
        );
      throw error;
    });
    const { metarangeId } = await engine.tables.apply({
      namespace: namespaceOf(repository),
      base: head.metarangeId,
      changes: changes.pages(),
      signal: face.signal,
    });
    begin();
    return engine.commit(repository, branch.id, {
      committer: face.committer,
      user: face.user.username,
      message: changes.message,
      sourceMetarange: metarangeId,
      expectedHead: head.id,
    });
  });
}
