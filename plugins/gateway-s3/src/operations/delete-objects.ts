/** DeleteObjects: up to a thousand keys, each answered for itself. */
import { isSrvError, messageOf } from '@srv/kernel';
import { readPayload } from '../body/payload.js';
import { splitKey } from '../protocol/address.js';
import { S3Error, asS3Error } from '../protocol/errors.js';
import { childText, childrenOf, readXml } from '../protocol/xml-reader.js';
import { element, s3Namespace } from '../protocol/xml-writer.js';
import { mayBeBranch } from './entries.js';
import { bucketOperation } from './operation.js';
import { objectArn } from './permissions.js';
import type { BucketContext } from './context.js';

const maxKeys = 1000;
/** Bytes: a thousand keys of the greatest length, every character escaped. */
const maxBody = 8 * 1024 * 1024;

interface Failure {
  readonly key: string;
  readonly code: string;
  readonly message: string;
}

export const deleteObjects = bucketOperation({
  name: 'DeleteObjects',
  method: 'POST',
  query: 'delete',
  writes: true,
  async handle(context) {
    const { keys, quiet } = parseDelete((await readPayload(context.payload(), maxBody)).toString('utf8'));
    const failures = await deleteKeys(context, keys);
    const failed = new Set(failures.map(({ key }) => key));
    await context.answer.xml(
      element(
        'DeleteResult',
        [
          ...(quiet ? [] : keys.filter(key => !failed.has(key)).map(key => element('Deleted', [element('Key', key)]))),
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
export function parseDelete(text: string): { readonly keys: readonly string[]; readonly quiet: boolean } {
  const root = readXml(text);
  const keys = childrenOf(root, 'Object').map(object => childText(object, 'Key'));
  if (keys.length === 0 || keys.length > maxKeys || !keys.every(key => key !== undefined && key !== '')) throw new S3Error('MalformedXML');
  return { keys: keys.filter(key => key !== undefined), quiet: childText(root, 'Quiet')?.trim().toLowerCase() === 'true' };
}

async function deleteKeys(context: BucketContext, keys: readonly string[]): Promise<Failure[]> {
  const { catalog, repository, decide } = context;
  const failures: Failure[] = [];
  const batches = new Map<string, Set<string>>();
  await Promise.all(
    keys.map(async key => {
      const { ref, path } = splitKey(key);
      // Some clients delete `<ref>/`; no object can be there, so it is gone.
      if (path === '') return;
      const { allowed } = await decide({ action: 'fs:DeleteObject', resource: objectArn(repository.id, path) });
      if (!allowed) failures.push({ key, code: 'AccessDenied', message: 'Access Denied' });
      else if (mayBeBranch(ref)) batches.set(ref, (batches.get(ref) ?? new Set()).add(path));
    }),
  );
  for (const [ref, paths] of batches) {
    try {
      const failed = await catalog.deleteObjects(repository.id, ref, [...paths]);
      failures.push(...failed.map(({ path, error }) => failureOf(`${ref}/${path}`, error)));
    } catch (error) {
      if (!isSrvError(error, 'not_found')) failures.push(...[...paths].map(path => failureOf(`${ref}/${path}`, error)));
    }
  }
  return failures;
}

const named = new Set(['ErrWriteToProtectedBranch', 'ErrReadOnlyRepository', 'SlowDown']);

function failureOf(key: string, error: unknown): Failure {
  const { code, message } = asS3Error(error);
  if (named.has(code)) return { key, code, message: `error deleting object: ${message}` };
  // Texts of our own errors are written for callers; others may tell internals.
  return { key, code: 'ErrDeletingKey', message: `error deleting object: ${isSrvError(error, 'invalid') ? messageOf(error) : message}` };
}
