/** Objects of the block store become objects of a branch without being copied. */

import { demandImportSources } from '@srv/engine/operations/source-rights';
import {
  all,
  branchArn,
  branchId,
  commit,
  commitBody,
  empty,
  errorBody,
  flag,
  integer,
  json,
  list,
  may,
  namespaceArn,
  objectArn,
  oneOf,
  operation,
  optional,
  presentCommit,
  record,
  repositoryId,
  taskCreation,
  text,
  timestamp,
  withDefault,
} from '@srv/lib-api';
import type {} from './contract.js';

const params = { repository: repositoryId, branch: branchId };
const id = text({ filled: true, problem: 'id: required value: validation error; the id that the start of the import answered' });

/** Operations by id. */
export type ImportOperations = typeof importOperations;

const importOperations = {
  importStart: operation({
    operationId: 'importStart',
    method: 'POST',
    path: '/repositories/{repository}/branches/{branch}/import',
    tag: 'import',
    summary: 'Start an import; it ends with one commit',
    params,
    body: record({
      paths: list(record({ type: oneOf('common_prefix', 'object'), path: text(), destination: text({ maxBytes: 1024 }) })),
      commit: commitBody,
      force: withDefault(flag(), false),
    }),
    status: 202,
    result: json(taskCreation),
    failures: [403, 404, 501],
    permission: ({ repository, branch, body }) =>
      all(
        may('fs:WriteObject', branchArn(repository, branch)),
        may('fs:CreateCommit', branchArn(repository, branch)),
        ...body.paths.flatMap(({ path, destination }) => [
          may('fs:ImportFromStorage', namespaceArn(path)),
          may('fs:WriteObject', objectArn(repository, destination)),
        ]),
      ),
    async handler(context, { repository, branch, body }) {
      const { services, committer, user } = context;
      await demandImportSources(
        context,
        body.paths.map(({ path }) => path),
      );
      const { message, metadata } = body.commit;
      const request = { paths: body.paths, committer, user: user.username, message, force: body.force };
      return { id: await services.get('imports').start(repository, branch, { ...request, metadata }) };
    },
  }),

  importStatus: operation({
    operationId: 'importStatus',
    method: 'GET',
    path: '/repositories/{repository}/branches/{branch}/import',
    tag: 'import',
    summary: 'Status of an import',
    params,
    query: { id },
    status: 200,
    result: json(
      record({
        completed: flag(),
        update_time: timestamp,
        ingested_objects: optional(integer()),
        metarange_id: optional(text()),
        commit: optional(commit),
        error: optional(errorBody),
      }),
    ),
    failures: [404, 501],
    permission: input => may('fs:ReadBranch', branchArn(input.repository, input.branch)),
    async handler({ services }, input) {
      const status = await services.get('imports').status(input.repository, input.id);
      return {
        // Of an import that failed the error says that it is over.
        completed: status.completed && status.error === undefined,
        update_time: status.updatedAt.toISOString(),
        ingested_objects: status.ingestedObjects,
        metarange_id: status.metarangeId,
        commit: status.commit && presentCommit(status.commit),
        error: status.error === undefined ? undefined : { message: status.error },
      };
    },
  }),

  importCancel: operation({
    operationId: 'importCancel',
    method: 'DELETE',
    path: '/repositories/{repository}/branches/{branch}/import',
    tag: 'import',
    summary: 'Stop an import',
    params,
    query: { id },
    status: 204,
    result: empty,
    failures: [404, 409, 501],
    permission: input => may('fs:ImportCancel', branchArn(input.repository, input.branch)),
    handler: ({ services }, input) => services.get('imports').cancel(input.repository, input.branch, input.id),
  }),
};

export default importOperations;

declare module '@srv/lib-api' {
  interface Operations extends ImportOperations {}
}
