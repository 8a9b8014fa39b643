/** Writing, copying and deleting objects. */

import { SrvError } from '@srv/kernel';
import {
  all,
  branchId,
  empty,
  flag,
  givenSeconds,
  integer,
  json,
  list,
  may,
  metadata,
  objectArn,
  operation,
  optional,
  path,
  record,
  ref,
  repositoryId,
  text,
  withDefault,
} from '@srv/lib-api';
import { identifierType, namespaceOf, storageRoots, storeOf } from '@srv/lib-stores/block';
import { checkExternal, splitAddress } from './objects/address.js';
import { conditionHeaders, deleteIf, writeCondition } from './objects/conditions.js';
import { smallBytes } from './objects/content.js';
import { demandForeignSource, demandOwnSource } from './objects/source-rights.js';
import { metadataFrom, readUpload } from './objects/upload.js';
import { presentEntry } from './present.js';
import { objectStats } from './wire.js';

const params = { repository: repositoryId, branch: branchId };
const force = withDefault(flag(), false);
const noTombstone = withDefault(flag(), false);
const mayWriteObject = (input: { readonly repository: string; readonly path: string }) =>
  may('fs:WriteObject', objectArn(input.repository, input.path));
const maxPaths = 1000;

export const objectWriteOperations = {
  uploadObject: operation({
    operationId: 'uploadObject',
    method: 'POST',
    path: '/repositories/{repository}/branches/{branch}/objects',
    tag: 'objects',
    summary: 'Store an object: the body itself, or the part `content` of a form',
    params,
    query: { path, storageClass: optional(text()), force },
    headers: conditionHeaders,
    body: 'stream',
    status: 201,
    result: json(objectStats),
    failures: [403, 404, 412, 501],
    permission: mayWriteObject,
    async prepare({ services }, input) {
      const condition = writeCondition(input['If-None-Match'], input['If-Match']);
      await services.get('engine').checkWrite(input.repository, input.branch, input.path, { force: input.force, condition });
    },
    async handler(context, input) {
      const { services, headers, headerLines } = context;
      const { body, contentType, size } = await readUpload(headers, input.body);
      const condition = writeCondition(input['If-None-Match'], input['If-Match']);
      const entry = await services.get('engine').putObject(input.repository, input.branch, input.path, body, {
        contentType,
        metadata: metadataFrom(headerLines),
        force: input.force,
        checked: true,
        // A small one is read whole before anything is stored.
        signal: size !== undefined && size <= smallBytes ? undefined : context.signal,
        size,
        storageClass: input.storageClass || undefined,
        condition,
      });
      return presentEntry(entry);
    },
  }),

  stageObject: operation({
    operationId: 'stageObject',
    method: 'PUT',
    path: '/repositories/{repository}/branches/{branch}/objects',
    tag: 'internal',
    summary: 'Stage an existing object of the block store on a branch',
    deprecated: true,
    params,
    query: { path },
    headers: conditionHeaders,
    body: record({
      physical_address: text(),
      checksum: text(),
      size_bytes: integer({ min: 0 }),
      mtime: optional(givenSeconds),
      metadata: optional(metadata),
      content_type: optional(text()),
      force,
    }),
    status: 201,
    result: json(objectStats),
    failures: [403, 404, 412, 501],
    permission: mayWriteObject,
    async handler(context, { repository, branch, path, body, 'If-None-Match': ifNoneMatch, 'If-Match': ifMatch }) {
      const { services } = context;
      const condition = writeCondition(ifNoneMatch, ifMatch);
      // What is checked lies in the namespace of this one: if it moves meanwhile, the entry must not be staged.
      const owner = await services.get('engine').getRepository(repository);
      const namespace = namespaceOf(owner);
      const block = services.get('block');
      const roots = storageRoots(block, namespace);
      const { address, relative } = splitAddress(roots, body.physical_address);
      if (!relative) await checkExternal(storeOf(block, namespace), roots, address);
      if (relative) await demandOwnSource(context, { repository, branch, path }, address);
      else await demandForeignSource(context, address);
      const entry = await services.get('engine').stageEntry(owner, branch, path, {
        address,
        addressType: relative ? identifierType.relative : identifierType.full,
        size: body.size_bytes,
        etag: body.checksum,
        force: body.force,
        contentType: body.content_type || undefined,
        metadata: body.metadata,
        lastModified: body.mtime === undefined ? undefined : new Date(body.mtime * 1000),
        condition,
      });
      const { metadata: _, ...stats } = presentEntry(entry);
      return stats;
    },
  }),

  copyObject: operation({
    operationId: 'copyObject',
    method: 'POST',
    path: '/repositories/{repository}/branches/{branch}/objects/copy',
    tag: 'objects',
    summary: 'Copy an object of this or another repository to a branch',
    params,
    query: { dest_path: path },
    headers: conditionHeaders,
    body: record({
      src_path: path,
      src_ref: optional(text()),
      src_repo: optional(repositoryId),
      force,
      shallow: withDefault(flag(), false),
    }),
    status: 201,
    result: json(objectStats),
    failures: [403, 404, 412, 501],
    permission: ({ repository, dest_path, body }) =>
      all(
        may('fs:ReadObject', objectArn(body.src_repo ?? repository, body.src_path)),
        may('fs:WriteObject', objectArn(repository, dest_path)),
      ),
    async handler({ services }, input) {
      const { repository, branch, dest_path, body } = input;
      const { src_repo: from = repository, src_path, force, shallow } = body;
      const condition = writeCondition(input['If-None-Match'], input['If-Match']);
      if (from !== repository && !body.src_ref)
        throw new SrvError('invalid', `src_ref: required value: validation error; name the ref of repository '${from}' to copy from`);
      const source = { repository: from, ref: body.src_ref || branch, path: src_path };
      const destination = { branch, path: dest_path };
      return presentEntry(await services.get('engine').copyObject(repository, source, destination, { force, shallow, condition }));
    },
  }),

  deleteObject: operation({
    operationId: 'deleteObject',
    method: 'DELETE',
    path: '/repositories/{repository}/branches/{branch}/objects',
    tag: 'objects',
    summary: 'Delete an object; an absent one is not an error',
    params,
    query: { path, force, no_tombstone: noTombstone },
    headers: conditionHeaders,
    status: 204,
    result: empty,
    failures: [403, 404, 412, 501],
    permission: input => may('fs:DeleteObject', objectArn(input.repository, input.path)),
    async handler({ services }, input) {
      const { repository, branch, path, force, no_tombstone } = input;
      const engine = services.get('engine');
      const options = { force, noTombstone: no_tombstone };
      const condition = writeCondition(input['If-None-Match'], input['If-Match']);
      if (condition) await deleteIf(engine, { repository, branch, path }, condition, options);
      else await engine.deleteObject(repository, branch, path, options);
    },
  }),

  deleteObjects: operation({
    operationId: 'deleteObjects',
    method: 'POST',
    path: '/repositories/{repository}/branches/{branch}/objects/delete',
    tag: 'objects',
    summary: 'Delete up to 1000 objects; answers those that could not be',
    params,
    query: { force, no_tombstone: noTombstone },
    body: record({ paths: list(text()) }),
    // A thousand paths of the greatest length, escaped.
    maxBody: 8 * 1024 * 1024,
    status: 200,
    result: json(record({ errors: list(record({ path: optional(text()), status_code: integer(), message: text() })) })),
    failures: [403, 404],
    async handler({ services, decide, describe }, { repository, branch, force, no_tombstone, body: { paths } }) {
      if (paths.length > maxPaths) throw new SrvError('invalid', `request size exceeded, max paths is set to ${maxPaths}`);
      // Some clients send empty paths; they name nothing, so there is nothing to delete.
      const named = paths.filter(name => name !== '');
      const decisions = await Promise.all(named.map(name => decide(may('fs:DeleteObject', objectArn(repository, name)))));
      const refused = named
        .filter((_, i) => !decisions[i]?.allowed)
        .map(name => ({ path: name, status_code: 401, message: 'Unauthorized' }));
      const allowed = named.filter((_, i) => decisions[i]?.allowed);
      if (allowed.length === 0 && refused.length > 0) return { errors: refused };
      const failed = await services.get('engine').deleteObjects(repository, branch, allowed, { force, noTombstone: no_tombstone });
      const errors = failed.map(({ path: name, error }) => {
        const { status, message } = describe(error);
        return { path: name, status_code: status, message };
      });
      return { errors: [...refused, ...errors] };
    },
  }),

  updateObjectUserMetadata: operation({
    operationId: 'updateObjectUserMetadata',
    method: 'PUT',
    path: '/repositories/{repository}/branches/{branch}/objects/stat/user_metadata',
    tag: 'objects',
    summary: 'Replace the user metadata of an object',
    params: { repository: repositoryId, branch: ref },
    query: { path },
    body: record({ set: metadata }),
    // Documented as 201 elsewhere; clients were written against 204.
    status: 204,
    result: empty,
    failures: [404],
    permission: mayWriteObject,
    handler: ({ services }, input) => services.get('engine').setObjectMetadata(input.repository, input.branch, input.path, input.body.set),
  }),
};
