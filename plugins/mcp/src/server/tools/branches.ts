/** Tools that write: on a branch of the agent's own, up to the proposal to merge it. */
import { SrvError } from '@srv/kernel';
import { branchArn, may, objectArn } from '@srv/lib-api';
import { summaryOf } from './listings.js';
import { runOperation } from './operation.js';
import { fields, inputSchema } from './schema.js';
import { adding, destroying } from './tool.js';
import type { Repository } from '@srv/engine/contract';
import type { McpContext } from '../context.js';
import type { ToolInput } from './schema.js';
import type { Tool } from './tool.js';

/** The branch of a call, when the agent may write there. @throws SrvError `forbidden`. */
async function ownBranch({ engine, own, face }: McpContext, input: ToolInput): Promise<{ repository: Repository; branch: string }> {
  const repository = await engine.getRepository(input.text('repository'));
  const branch = input.text('branch');
  await own.demand(repository, branch, face.user.username);
  return { repository, branch };
}

const message = { type: 'string', description: 'What changed and why', minLength: 1, maxLength: 10_000 } as const;

export const startBranch: Tool = {
  name: 'start_branch',
  title: 'Start a branch',
  description:
    'Makes a new branch of your own from source (default: the default branch) and returns its name. Writes are possible on such branches only; pass the name to every tool that writes. Costs no storage.',
  inputSchema: inputSchema(
    { repository: fields.repository },
    {
      source: { ...fields.ref, description: 'Where to start; default: the default branch' },
      purpose: { type: 'string', description: 'What the branch is for', maxLength: 1000, default: '' },
    },
  ),
  annotations: adding,
  async run(context, input) {
    const { engine, own, face, settings } = context;
    if (settings.write === 'none') throw new SrvError('forbidden', 'this server lets agents read only (mcp.write: none)');
    const id = input.text('repository');
    const branch = own.nameFor(face.user.username);
    await face.demand(may('fs:CreateBranch', branchArn(id, branch)));
    const repository = await engine.getRepository(id);
    const source = input.optionalText('source') ?? repository.defaultBranch;
    const made = await engine.createBranch(repository, branch, source, { user: face.user.username, signal: context.signal });
    await own.remember(repository, await engine.getBranch(repository, branch), {
      user: face.user.username,
      source,
      purpose: input.text('purpose'),
    });
    return { branch, base_commit: made.commitId, source };
  },
};

export const writeObject: Tool = {
  name: 'write_object',
  title: 'Write an object',
  description:
    'Writes a whole object on your branch, from text or base64; an existing one is replaced unless if_absent is true. Not committed yet: call commit when all objects are written.',
  inputSchema: inputSchema(
    { repository: fields.repository, branch: fields.branch, path: fields.path },
    {
      text: { type: 'string', description: 'Content as text' },
      base64: { type: 'string', description: 'Content as base64, instead of text' },
      content_type: { type: 'string', maxLength: 255 },
      if_absent: { type: 'boolean', description: 'Fail if the object exists', default: false },
    },
  ),
  annotations: destroying,
  async run(context, input) {
    const { engine, face, settings } = context;
    const path = input.text('path');
    checkNewPath(path);
    await face.demand(may('fs:WriteObject', objectArn(input.text('repository'), path)));
    const { repository, branch } = await ownBranch(context, input);
    const content = contentOf(input);
    if (content.length > settings.maxBytes)
      throw new SrvError(
        'invalid',
        `the content has ${content.length} bytes, at most ${settings.maxBytes} are allowed; upload it by the command line or S3`,
      );
    const contentType =
      input.optionalText('content_type') ?? (input.optionalText('text') === undefined ? 'application/octet-stream' : 'text/plain');
    const { etag } = await engine.putObject(repository, branch, path, content, {
      size: content.length,
      contentType,
      condition: input.flag('if_absent') ? { ifAbsent: true as const } : undefined,
    });
    return { path, checksum: etag, size: content.length };
  },
};

/** Objects may have such names, but a model that gives one means another, and file systems have no place for it. @throws SrvError `invalid`. */
function checkNewPath(path: string): void {
  if (path.split('/').some(name => name === '' || name === '.' || name === '..'))
    throw new SrvError(
      'invalid',
      `the path ${path} begins or ends with a slash, or has two in a row, or a part . or ..: write it without them`,
    );
  if (/\p{Cc}/u.test(path)) throw new SrvError('invalid', `the path ${JSON.stringify(path)} has control characters: write it without them`);
}

/** @throws SrvError `invalid`. */
function contentOf(input: ToolInput): Buffer {
  const [text, base64] = [input.optionalText('text'), input.optionalText('base64')];
  if ((text === undefined) === (base64 === undefined)) throw new SrvError('invalid', 'give the content as either text or base64');
  if (text !== undefined) return Buffer.from(text, 'utf8');
  const bytes = Buffer.from(base64 ?? '', 'base64');
  if (bytes.toString('base64').replace(/={1,2}$/, '') !== (base64 ?? '').replaceAll(/\s/g, '').replace(/={1,2}$/, ''))
    throw new SrvError('invalid', 'base64 is not valid base64');
  return bytes;
}

export const deleteObjects: Tool = {
  name: 'delete_objects',
  title: 'Delete objects',
  description:
    'Deletes up to 100 objects of your branch by their full paths; absent ones count as deleted. Not committed yet; other branches keep them.',
  inputSchema: inputSchema({
    repository: fields.repository,
    branch: fields.branch,
    paths: { type: 'array', description: 'Full paths, no prefixes', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: 100 },
  }),
  annotations: destroying,
  async run(context, input) {
    const { engine, face } = context;
    const paths = input.texts('paths');
    for (const path of paths) await face.demand(may('fs:DeleteObject', objectArn(input.text('repository'), path)));
    const { repository, branch } = await ownBranch(context, input);
    const failures = await engine.deleteObjects(repository, branch, paths);
    const [failure] = failures;
    if (failure) throw failure.error;
    return { deleted: paths };
  },
};

export const commit: Tool = {
  name: 'commit',
  title: 'Commit',
  description: 'Commits the uncommitted changes of your branch. Check them with diff before, and call propose_merge after.',
  inputSchema: inputSchema(
    { repository: fields.repository, branch: fields.branch, message },
    { metadata: { type: 'object', description: 'Facts to keep with the commit', additionalProperties: { type: 'string' } } },
  ),
  annotations: adding,
  async run(context, input) {
    const { engine, face } = context;
    await face.demand(may('fs:CreateCommit', branchArn(input.text('repository'), input.text('branch'))));
    const { repository, branch } = await ownBranch(context, input);
    const made = await engine.commit(repository, branch, {
      committer: face.committer,
      user: face.user.username,
      message: input.text('message'),
      metadata: input.map('metadata'),
      signal: context.signal,
    });
    return { commit_id: made.id };
  },
};

export const revert: Tool = {
  name: 'revert',
  title: 'Revert a commit',
  description: 'Undoes the changes of one commit on your branch by a new commit.',
  inputSchema: inputSchema(
    { repository: fields.repository, branch: fields.branch, ref: { ...fields.ref, description: 'The commit to undo' } },
    { parent: { type: 'integer', description: 'Of a merge: the parent to return to', minimum: 0, maximum: 100, default: 0 } },
  ),
  annotations: adding,
  async run(context, input) {
    const { engine, face } = context;
    await face.demand(may('fs:RevertBranch', branchArn(input.text('repository'), input.text('branch'))));
    const { repository, branch } = await ownBranch(context, input);
    const made = await engine.revert(repository, branch, {
      ref: input.text('ref'),
      parentNumber: input.number('parent'),
      committer: face.committer,
      user: face.user.username,
      signal: context.signal,
    });
    return { commit_id: made.id };
  },
};

export const proposeMerge: Tool = {
  name: 'propose_merge',
  title: 'Propose a merge',
  description:
    'Opens a pull request to merge your branch into another one, for a person to review and merge. Commit first: uncommitted changes are not part of it. This is how work ends; nothing here merges.',
  inputSchema: inputSchema(
    {
      repository: fields.repository,
      branch: fields.branch,
      into: { ...fields.branch, description: 'Branch to merge into' },
      title: { type: 'string', minLength: 1, maxLength: 255 },
    },
    { description: { type: 'string', maxLength: 20_000, default: '' } },
  ),
  annotations: adding,
  async run(context, input) {
    const { engine, face } = context;
    const { repository, branch } = await ownBranch(context, input);
    const into = input.text('into');
    const body = { title: input.text('title'), description: input.text('description'), source_branch: branch, destination_branch: into };
    const pull = await runOperation(context, 'createPullRequest', {
      repository: repository.id,
      body,
    });
    const mayList = await face.may(may('fs:ListObjects', `arn:lakefs:fs:::repository/${repository.id}`));
    context.report('comparing the branches');
    const page = mayList ? await engine.diff(repository, into, branch, { amount: 1000 }) : undefined;
    return { pull_request: pull, summary: page && summaryOf(page.results), summary_is_partial: page?.hasMore };
  },
};
