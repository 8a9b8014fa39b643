/** Tags. */
import {
  empty,
  flag,
  json,
  listOf,
  may,
  operation,
  pageRequest,
  paging,
  presentPage,
  record,
  ref,
  repositoryArn,
  repositoryId,
  tagArn,
  tagId,
  withDefault,
} from '@srv/lib-api';
import { changeOptions } from './change-options.js';
import { presentRef } from './present.js';
import { refObject } from './wire.js';

const repository = { repository: repositoryId };
const params = { ...repository, tag: tagId };
const force = withDefault(flag(), false);

export const tagOperations = {
  listTags: operation({
    operationId: 'listTags',
    method: 'GET',
    path: '/repositories/{repository}/tags',
    tag: 'tags',
    summary: 'Tags by name',
    params: repository,
    query: paging,
    status: 200,
    result: json(listOf(refObject)),
    failures: [404],
    permission: input => may('fs:ListTags', repositoryArn(input.repository)),
    handler: async ({ services }, input) =>
      presentPage(await services.get('engine').listTags(input.repository, pageRequest(input)), presentRef),
  }),

  createTag: operation({
    operationId: 'createTag',
    method: 'POST',
    path: '/repositories/{repository}/tags',
    tag: 'tags',
    summary: 'Create a tag',
    params: repository,
    body: record({ id: tagId, ref, force }),
    status: 201,
    result: json(refObject),
    failures: [403, 404, 409, 412],
    permission: input => may('fs:CreateTag', tagArn(input.repository, input.body.id)),
    handler: async (context, { repository, body: { id, ref, force } }) =>
      presentRef(await context.services.get('engine').createTag(repository, id, ref, changeOptions(context, { force }))),
  }),

  getTag: operation({
    operationId: 'getTag',
    method: 'GET',
    path: '/repositories/{repository}/tags/{tag}',
    tag: 'tags',
    summary: 'One tag and its commit',
    params,
    status: 200,
    result: json(refObject),
    failures: [404],
    permission: input => may('fs:ReadTag', tagArn(input.repository, input.tag)),
    handler: async ({ services }, input) => presentRef(await services.get('engine').getTag(input.repository, input.tag)),
  }),

  deleteTag: operation({
    operationId: 'deleteTag',
    method: 'DELETE',
    path: '/repositories/{repository}/tags/{tag}',
    tag: 'tags',
    summary: 'Delete a tag',
    params,
    query: { force },
    status: 204,
    result: empty,
    failures: [403, 404, 412],
    permission: input => may('fs:DeleteTag', tagArn(input.repository, input.tag)),
    handler: (context, { repository, tag, force }) =>
      context.services.get('engine').deleteTag(repository, tag, changeOptions(context, { force })),
  }),
};
