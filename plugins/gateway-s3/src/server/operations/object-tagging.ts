/** GetObjectTagging, PutObjectTagging, DeleteObjectTagging. */

import { S3Error } from '../protocol/errors.js';
import { documentTags, keptTags, tagsElement, withTags } from '../protocol/tags.js';
import { xmlText } from '../protocol/xml-reader.js';
import { findEntry, mayBeBranch } from './entries.js';
import { translating } from './failures.js';
import { objectOperation } from './operation.js';
import { onObject } from './permissions.js';
import type { Tag } from '../protocol/tags.js';
import type { ObjectContext } from './context.js';

/** Bytes: ten tags of the greatest length, every character escaped. */
const maxBody = 64 * 1024;

export const getObjectTagging = objectOperation({
  name: 'GetObjectTagging',
  method: 'GET',
  query: 'tagging',
  permission: onObject('fs:ReadObject'),
  async handle({ engine, repository, ref, path, answer }) {
    const { metadata } = await findEntry(engine, { repository: repository.id, ref, path });
    await answer.xml(tagsElement(keptTags(metadata)));
  },
});

export const putObjectTagging = objectOperation({
  name: 'PutObjectTagging',
  method: 'PUT',
  query: 'tagging',
  writes: true,
  permission: onObject('fs:WriteObject'),
  async handle(context) {
    const tags = documentTags(xmlText(await context.payload().whole(maxBody)));
    await setTags(context, tags);
    await context.answer.empty(200);
  },
});

export const deleteObjectTagging = objectOperation({
  name: 'DeleteObjectTagging',
  method: 'DELETE',
  query: 'tagging',
  writes: true,
  permission: onObject('fs:WriteObject'),
  async handle(context) {
    await setTags(context, []);
    await context.answer.empty(204);
  },
});

/** @throws S3Error `NoSuchBucket` when the ref is not a branch, `NoSuchKey`. */
async function setTags({ engine, repository, ref, path }: ObjectContext, tags: readonly Tag[]): Promise<void> {
  if (!mayBeBranch(ref)) throw new S3Error('NoSuchBucket');
  await translating({ not_found: 'NoSuchBucket' }, () => engine.getBranch(repository.id, ref));
  await translating({ not_found: 'NoSuchKey' }, () =>
    engine.setObjectMetadata(repository.id, ref, path, metadata => withTags(metadata, tags)),
  );
}
