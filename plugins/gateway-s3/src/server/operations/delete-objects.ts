/** DeleteObjects: up to a thousand keys, each answered for itself. */
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { splitKey } from '../protocol/address.js';
import { S3Error, asS3Error } from '../protocol/errors.js';
import { childText, childrenOf, readLongXml, xmlText } from '../protocol/xml-reader.js';
import { element, s3Namespace } from '../protocol/xml-writer.js';
import { deleteIf, isConditional } from './delete-condition.js';
import { mayBeBranch } from './entries.js';
import { bucketOperation } from './operation.js';
import { arnOf } from './permissions.js';
import { checkNoVersion } from './versions.js';
import type { BucketContext } from './context.js';
import type { DeleteCondition } from './delete-condition.js';
import type { ObjectAddress } from './entries.js';

const maxKeys = 1000;
/** Bytes: a thousand keys of the greatest length, every character escaped. */
const maxBody = 8 * 1024 * 1024;

interface Failure {
  readonly key: string;
  readonly code: string;
  readonly message: string;
}

interface Wanted extends DeleteCondition {
  readonly key: string;
  readonly version: string;
}

export const deleteObjects = bucketOperation({
  name: 'DeleteObjects',
  method: 'POST',
  query: 'delete',
  writes: true,
  async handle(context) {
    const { objects, quiet } = await parseDelete(xmlText(await context.payload().whole(maxBody)));
    const failures = await deleteAll(context, objects);
    const failed = new Set(failures.map(({ key }) => key));
    await context.answer.xml(
      element(
        'DeleteResult',
        [
          ...(quiet ? [] : objects.filter(({ key }) => !failed.has(key)).map(({ key }) => element('Deleted', [element('Key', key)]))),
          ...failures.map(({ key, code, message }) =>
            element('Error', [element('Code', code), element('Key', key), element('Message', message)]),
          ),
        ],
        { xmlns: s3Namespace },
      ),
    );
  },
});

/** @throws S3Error `MalformedXML`. */
async function parseDelete(text: string): Promise<{ readonly objects: readonly Wanted[]; readonly quiet: boolean }> {
  const root = await readLongXml(text, 'Delete');
  const objects = childrenOf(root, 'Object').map(object => ({
    key: childText(object, 'Key') ?? '',
    version: childText(object, 'VersionId')?.trim() ?? '',
    etag: childText(object, 'ETag'),
    lastModified: childText(object, 'LastModifiedTime'),
    size: childText(object, 'Size'),
  }));
  if (objects.length === 0 || objects.length > maxKeys || objects.some(({ key }) => key === '')) throw new S3Error('MalformedXML');
  return { objects, quiet: childText(root, 'Quiet')?.trim().toLowerCase() === 'true' };
}

async function deleteAll(context: BucketContext, objects: readonly Wanted[]): Promise<Failure[]> {
  const { engine, repository } = context;
  const failures: Failure[] = [];
  const batches = new Map<string, Set<string>>();
  await Promise.all(
    objects.map(async object => {
      const { ref, path } = splitKey(object.key);
      if (ref === '' || ref === object.key) return void failures.push(failureOf(object.key, misplaced(object.key)));
      // Some clients delete `<ref>/`; no object can be there, so it is gone.
      if (path === '') return;
      const refusal = await refusalOf(context, object, { repository: repository.id, ref, path });
      if (refusal) failures.push(refusal);
      else if (!isConditional(object) && mayBeBranch(ref)) batches.set(ref, (batches.get(ref) ?? new Set()).add(path));
    }),
  );
  for (const [ref, paths] of batches) {
    try {
      const failed = await engine.deleteObjects(repository.id, ref, [...paths]);
      failures.push(...failed.map(({ path, error }) => failureOf(`${ref}/${path}`, error)));
    } catch (error) {
      if (!isSrvError(error, 'not_found')) failures.push(...[...paths].map(path => failureOf(`${ref}/${path}`, error)));
    }
  }
  return failures;
}

/** Why a key is not deleted, before it is tried; what a condition describes is deleted here, alone. */
async function refusalOf({ engine, decide }: BucketContext, object: Wanted, place: ObjectAddress): Promise<Failure | undefined> {
  const { key, version } = object;
  const { allowed } = await decide({ action: 'fs:DeleteObject', resource: arnOf(place) });
  if (!allowed) return { key, code: 'AccessDenied', message: 'Access Denied' };
  try {
    checkNoVersion(version);
    if (isConditional(object)) await deleteIf(engine, place, object);
    return undefined;
  } catch (error) {
    const { code, message } = asS3Error(error);
    return { key, code, message };
  }
}

/** As DeleteObject refuses it: nothing that could have been deleted has such a key. */
function misplaced(key: string): SrvError {
  return new SrvError('invalid', `the key ${JSON.stringify(key)} is not of the form <branch>/<path>`);
}

const named = new Set(['ErrWriteToProtectedBranch', 'ErrReadOnlyRepository', 'SlowDown']);

function failureOf(key: string, error: unknown): Failure {
  const { code, message } = asS3Error(error);
  if (named.has(code)) return { key, code, message: `error deleting object: ${message}` };
  // Texts of our own errors are written for callers; others may reveal internals.
  return { key, code: 'ErrDeletingKey', message: `error deleting object: ${isSrvError(error, 'invalid') ? messageOf(error) : message}` };
}
