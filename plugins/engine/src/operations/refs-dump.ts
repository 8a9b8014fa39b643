/** Branches, tags and commits as files in the storage namespace, and back: how a repository moves to another server. */
import {
  all,
  empty,
  flag,
  json,
  may,
  operation,
  optional,
  record,
  repositoryArn,
  repositoryId,
  taskCreation,
  text,
  timestamp,
  withDefault,
} from '@srv/lib-api';
import { refsDump } from './wire.js';
import type { RefsDump, Task } from '../contract.js';

const params = { repository: repositoryId };
const query = {
  task_id: text({ filled: true, problem: 'task_id: required value: validation error; the id that the submission answered' }),
};
const dumpBody = record({
  commits_meta_range_id: text(),
  tags_meta_range_id: text(),
  branches_meta_range_id: text(),
  force: withDefault(flag(), false),
});
const taskStatus = { id: text(), done: flag(), update_time: timestamp, error: optional(text()) };

const mayDump = ({ repository }: { readonly repository: string }) => {
  const resource = repositoryArn(repository);
  return all(may('fs:ListTags', resource), may('fs:ListBranches', resource), may('fs:ListCommits', resource));
};
const mayRestore = ({ repository }: { readonly repository: string }) => {
  const resource = repositoryArn(repository);
  return all(may('fs:CreateTag', resource), may('fs:CreateBranch', resource), may('fs:CreateCommit', resource));
};

const presentDump = ({ commits, tags, branches }: RefsDump) => ({
  commits_meta_range_id: commits,
  tags_meta_range_id: tags,
  branches_meta_range_id: branches,
});
const toDump = (body: ReturnType<typeof presentDump>): RefsDump => ({
  commits: body.commits_meta_range_id,
  tags: body.tags_meta_range_id,
  branches: body.branches_meta_range_id,
});
const presentStatus = ({ id, done, updatedAt, error }: Task) => ({
  id,
  done,
  update_time: updatedAt.toISOString(),
  error,
});

export const refsDumpOperations = {
  dumpRefs: operation({
    operationId: 'dumpRefs',
    method: 'PUT',
    path: '/repositories/{repository}/refs/dump',
    tag: 'refs',
    summary: 'Write all refs to the storage namespace',
    deprecated: true,
    params,
    status: 201,
    result: json(refsDump),
    failures: [404],
    permission: mayDump,
    handler: async ({ services }, input) => presentDump(await services.get('engine').dumpRefs(input.repository)),
  }),

  restoreRefs: operation({
    operationId: 'restoreRefs',
    method: 'PUT',
    path: '/repositories/{repository}/refs/restore',
    tag: 'refs',
    summary: 'Read all refs of a bare repository from its storage namespace',
    deprecated: true,
    params,
    body: dumpBody,
    status: 200,
    result: empty,
    failures: [403, 404],
    permission: mayRestore,
    handler: ({ services }, { repository, body }) => services.get('engine').restoreRefs(repository, toDump(body), { force: body.force }),
  }),

  dumpSubmit: operation({
    operationId: 'dumpSubmit',
    method: 'POST',
    path: '/repositories/{repository}/dump',
    tag: 'repositories',
    summary: 'Write all refs to the storage namespace; answers before it is done',
    params,
    status: 202,
    result: json(taskCreation),
    failures: [404],
    permission: mayDump,
    handler: async ({ services }, input) => ({ id: await services.get('engine').submitDump(input.repository) }),
  }),

  dumpStatus: operation({
    operationId: 'dumpStatus',
    method: 'GET',
    path: '/repositories/{repository}/dump',
    tag: 'repositories',
    summary: 'Status of a dump',
    params,
    query,
    status: 200,
    result: json(record({ ...taskStatus, refs: optional(refsDump) })),
    failures: [404],
    permission: mayDump,
    async handler({ services }, input) {
      const task = await services.get('engine').dumpStatus(input.repository, input.task_id);
      return { ...presentStatus(task), refs: task.refs && presentDump(task.refs) };
    },
  }),

  restoreSubmit: operation({
    operationId: 'restoreSubmit',
    method: 'POST',
    path: '/repositories/{repository}/restore',
    tag: 'repositories',
    summary: 'Read all refs of a bare repository; answers before it is done',
    params,
    body: dumpBody,
    status: 202,
    result: json(taskCreation),
    failures: [403, 404],
    permission: mayRestore,
    handler: async ({ services }, { repository, body }) => ({
      id: await services.get('engine').submitRestore(repository, toDump(body), { force: body.force }),
    }),
  }),

  restoreStatus: operation({
    operationId: 'restoreStatus',
    method: 'GET',
    path: '/repositories/{repository}/restore',
    tag: 'repositories',
    summary: 'Status of a restore',
    params,
    query,
    status: 200,
    result: json(record(taskStatus)),
    failures: [404],
    permission: mayRestore,
    handler: async ({ services }, input) => presentStatus(await services.get('engine').restoreStatus(input.repository, input.task_id)),
  }),
};
