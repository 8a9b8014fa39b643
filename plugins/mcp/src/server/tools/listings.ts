/** Tools that list. */
import { branchArn, may, repositoryArn } from '@srv/lib-api';
import { fields, inputSchema } from './schema.js';
import { reading } from './tool.js';
import type { DiffItem, ListItem } from '@srv/engine/contract';
import type { Tool } from './tool.js';

/** `next` only where there is more: each word costs the model something. */
const next = ({ hasMore, nextOffset }: { readonly hasMore: boolean; readonly nextOffset: string }): object =>
  hasMore ? { next: nextOffset } : {};

export const listRepositories: Tool = {
  name: 'list_repositories',
  title: 'List repositories',
  description: 'Lists the repositories that you may see, with their default branches. Start here.',
  inputSchema: inputSchema({}, { prefix: fields.prefix, after: fields.after, limit: fields.limit(100) }),
  annotations: reading,
  async run({ engine, face }, input) {
    const isVisible = await face.visibility('fs:ListRepositories');
    const page = await engine.listRepositories({
      prefix: input.text('prefix'),
      after: input.text('after'),
      amount: input.number('limit'),
      visible: ({ id }) => isVisible(repositoryArn(id)),
    });
    const repositories = page.results.map(({ id, defaultBranch, readOnly }) => ({
      id,
      default_branch: defaultBranch,
      read_only: readOnly,
    }));
    return { repositories, ...next(page) };
  },
};

export const listRefs: Tool = {
  name: 'list_refs',
  title: 'List branches or tags',
  description: 'Lists the branches or the tags of a repository with the commits they point at.',
  inputSchema: inputSchema(
    { repository: fields.repository, kind: { type: 'string', enum: ['branches', 'tags'] } },
    { prefix: fields.prefix, after: fields.after, limit: fields.limit(1000) },
  ),
  annotations: reading,
  async run({ engine, face }, input) {
    const repository = input.text('repository');
    const isTags = input.text('kind') === 'tags';
    await face.demand(may(isTags ? 'fs:ListTags' : 'fs:ListBranches', repositoryArn(repository)));
    const request = { prefix: input.text('prefix'), after: input.text('after'), amount: input.number('limit') };
    const page = isTags ? await engine.listTags(repository, request) : await engine.listBranches(repository, request);
    return { refs: page.results.map(({ id, commitId }) => ({ id, commit_id: commitId })), ...next(page) };
  },
};

export const listObjects: Tool = {
  name: 'list_objects',
  title: 'List objects',
  description:
    'Lists objects and folders below a prefix at a ref. With the delimiter "/" deeper objects appear as folders; an empty delimiter lists all of them. A branch shows its uncommitted changes, too.',
  inputSchema: inputSchema(
    { repository: fields.repository, ref: fields.ref },
    {
      prefix: fields.prefix,
      delimiter: { type: 'string', description: '"/" for one level, empty for all', maxLength: 10, default: '/' },
      after: fields.after,
      limit: fields.limit(1000),
    },
  ),
  annotations: reading,
  async run({ engine, face }, input) {
    const repository = input.text('repository');
    await face.demand(may('fs:ListObjects', repositoryArn(repository)));
    const delimiter = input.text('delimiter');
    const page = await engine.list(repository, input.text('ref'), {
      prefix: input.text('prefix'),
      after: input.text('after'),
      amount: input.number('limit'),
      delimiter: delimiter === '' ? undefined : delimiter,
    });
    return { entries: page.results.map(presentItem), ...next(page) };
  },
};

function presentItem(item: ListItem): object {
  if (item.kind === 'common_prefix') return { path: item.path, type: 'folder' };
  const { size, lastModified, etag } = item.entry;
  return { path: item.path, type: 'object', size, modified: lastModified.toISOString(), checksum: etag };
}

export const log: Tool = {
  name: 'log',
  title: 'Show commits',
  description: 'Lists commits reachable from a ref, newest first; with a path only those that changed it.',
  inputSchema: inputSchema(
    { repository: fields.repository, ref: fields.ref },
    { path: { ...fields.path, description: 'Only commits that changed this object' }, after: fields.after, limit: fields.limit(200) },
  ),
  annotations: reading,
  async run({ engine, face }, input) {
    const [repository, ref, path] = [input.text('repository'), input.text('ref'), input.optionalText('path')];
    await face.demand(may('fs:ReadBranch', branchArn(repository, ref)));
    const after = input.text('after');
    const page = await engine.log(repository, ref, {
      amount: input.number('limit'),
      after: after === '' ? undefined : after,
      objects: path === undefined ? undefined : [path],
    });
    const commits = page.results.map(({ id, message, committer, creationDate, metadata, parents }) => ({
      id,
      message,
      author: committer,
      date: creationDate.toISOString(),
      metadata,
      parents,
    }));
    return { commits, ...next(page) };
  },
};

export const diff: Tool = {
  name: 'diff',
  title: 'Compare',
  description:
    'Lists what differs between two refs: what merging right into left would change (three_way), or all differences. Without right: the uncommitted changes of the branch left. The summary counts the page that is returned.',
  inputSchema: inputSchema(
    { repository: fields.repository, left: fields.ref },
    {
      right: fields.ref,
      prefix: fields.prefix,
      after: fields.after,
      limit: fields.limit(1000),
      three_way: { type: 'boolean', description: 'Compare with the common ancestor', default: true },
    },
  ),
  annotations: reading,
  async run({ engine, face }, input) {
    const repository = input.text('repository');
    await face.demand(may('fs:ListObjects', repositoryArn(repository)));
    const [left, right] = [input.text('left'), input.optionalText('right')];
    const request = { prefix: input.text('prefix'), after: input.text('after'), amount: input.number('limit') };
    const page =
      right === undefined
        ? await engine.diffUncommitted(repository, left, request)
        : await engine.diff(repository, left, right, { ...request, type: input.flag('three_way') ? 'three_dot' : 'two_dot' });
    return { changes: page.results.map(({ path, type }) => ({ path, type })), summary: summaryOf(page.results), ...next(page) };
  },
};

export function summaryOf(changes: readonly DiffItem[]): object {
  const count = (wanted: DiffItem['type']): number => changes.filter(({ type }) => type === wanted).length;
  return { added: count('added'), changed: count('changed'), removed: count('removed'), conflicts: count('conflict') };
}
