/** Storing many small objects with one request: each alone would cost more than it is worth. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SrvError } from '@srv/kernel';
import {
  branchId,
  flag,
  integer,
  json,
  list,
  may,
  objectArn,
  operation,
  optional,
  record,
  repositoryId,
  text,
  withDefault,
} from '@srv/lib-api';
import { heldBodies, smallBody } from '@srv/lib-api/http';
import { batchLimits, decodeBatch } from './objects/batch.js';
import type { OperationContext } from '@srv/lib-api';
import type { BatchedObject } from './objects/batch.js';

interface Outcome {
  readonly path: string;
  /** Of a stored object. */
  readonly checksum?: string;
  /** Of one that was refused. */
  readonly status_code?: number;
  readonly message?: string;
}

/** Objects begun before other requests get their turn. */
const sliceItems = 16;

export const objectBatchOperations = {
  uploadObjects: operation({
    operationId: 'uploadObjects',
    method: 'POST',
    path: '/repositories/{repository}/branches/{branch}/objects/batch',
    tag: 'objects',
    summary: `Store up to ${batchLimits.objects} objects of up to ${batchLimits.objectBytes >> 10} KiB each; answers each one's checksum, or why it was not stored`,
    params: { repository: repositoryId, branch: branchId },
    query: { force: withDefault(flag(), false) },
    body: 'stream',
    status: 200,
    result: json(
      record({
        results: list(record({ path: text(), checksum: optional(text()), status_code: optional(integer()), message: optional(text()) })),
      }),
    ),
    failures: [403, 404],
    async handler(context, { body, ...place }) {
      const size = announced(context.headers['content-length']);
      const release = await heldBodies.hold(body, size);
      try {
        return { results: await storeAll(context, place, decodeBatch(await smallBody(body, size))) };
      } finally {
        release?.();
      }
    },
  }),
};

interface BatchPlace {
  readonly repository: string;
  readonly branch: string;
  readonly force: boolean;
}

async function storeAll(
  { services, decide, describe }: OperationContext,
  { repository, branch, force }: BatchPlace,
  objects: readonly BatchedObject[],
): Promise<Outcome[]> {
  const decisions = await Promise.all(objects.map(({ path }) => decide(may('fs:WriteObject', objectArn(repository, path)))));
  const engine = services.get('engine');
  // A branch that does not exist is one answer, not one for each object; and none for callers who may not know.
  if (decisions.some(({ allowed }) => allowed)) await engine.getBranch(repository, branch);
  const store = async ({ path, bytes, contentType, metadata = {} }: BatchedObject, allowed: boolean): Promise<Outcome> => {
    if (!allowed) return { path, status_code: 401, message: 'Unauthorized' };
    try {
      const request = { force, size: bytes.length, metadata, contentType };
      const { etag } = await engine.putObject(repository, branch, path, bytes, request);
      return { path, checksum: etag };
    } catch (error) {
      const { status, message } = describe(error);
      return { path, status_code: status, message };
    }
  };
  const outcomes: Promise<Outcome>[] = [];
  for (const [i, object] of objects.entries()) {
    if (i % sliceItems === sliceItems - 1) await nextTurn();
    outcomes.push(store(object, decisions[i]?.allowed === true));
  }
  return Promise.all(outcomes);
}

/** @returns bytes the body will have. */
function announced(length: string | string[] | undefined): number {
  if (typeof length !== 'string' || !/^\d+$/.test(length)) throw new SrvError('invalid', 'a batch needs a Content-Length');
  if (Number(length) > batchLimits.bytes)
    throw new SrvError('invalid', `a batch has at most ${batchLimits.bytes} bytes, not ${length}; send several`);
  return Number(length);
}
