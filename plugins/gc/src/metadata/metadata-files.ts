/** Range and metarange files of a namespace, as they lie in the store. */
import { buffer } from 'node:stream/consumers';
import { TableReader, decodeDescriptor, decodeValue, isTableId, userProperty } from '@srv/engine/tables/format';
import { isSrvError } from '@srv/kernel';
import { namespaceOf, walkUri } from '@srv/lib-stores/block';
import { inNamespace } from '../prepare/places.js';
import { NamedFiles } from './named-files.js';
import type { Repository } from '@srv/engine/contract';
import type { BlockStore } from '@srv/kernel';

export interface MetadataFile {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly modified: number;
  readonly size: number;
}

/** Files directly in a folder of the namespace whose names are ids. */
export async function* filesIn(
  repository: Repository,
  folder: string,
  { block, signal }: { readonly block: BlockStore; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<readonly MetadataFile[]> {
  const place = walkUri(block, namespaceOf(repository), `${folder}/`);
  try {
    for await (const page of block.walk(place, { etags: false, signal }))
      yield page.flatMap(({ relativeKey, lastModified, size }) =>
        isTableId(relativeKey) ? [{ id: relativeKey, modified: lastModified.getTime(), size }] : [],
      );
  } catch (error) {
    // A namespace without the folder has no files.
    if (!isSrvError(error, 'not_found', 'no_data')) throw error;
  }
}

/** What a file says it is, and names. */
export interface FileFacts {
  /** Holds dumped references: only the file's owner knows whether they will be restored. */
  readonly isDump: boolean;
  /** Ranges of a metarange, and files that the records of a dump name. */
  readonly names: Iterable<string>;
}

/**
 * @param isFile whether a file has an id.
 * @returns `undefined` for a file that is gone, or is not a table of this product.
 */
export async function factsOf(
  repository: Repository,
  key: string,
  block: BlockStore,
  isFile: (id: string) => boolean,
): Promise<FileFacts | undefined> {
  let bytes: Buffer;
  try {
    bytes = await buffer(await block.get(inNamespace(repository, key)));
  } catch (error) {
    if (isSrvError(error, 'no_data')) return undefined;
    throw error;
  }
  try {
    const reader = new TableReader({ name: key, size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) });
    const type = reader.property(userProperty.type);
    const isDump = (reader.property(userProperty.entity) ?? '') !== '';
    if (type !== 'ranges' && type !== 'metaranges') return undefined;
    const named = new NamedFiles(isFile);
    const names = named.found;
    if (type === 'metaranges' || isDump) {
      const cursor = reader.cursor();
      for (cursor.first(); cursor.valid; cursor.next())
        if (type === 'metaranges') names.add(decodeDescriptor(cursor.value).id);
        else await named.addFrom(decodeValue(cursor.value).data);
    }
    return { isDump, names };
  } catch (error) {
    if (isSrvError(error, 'corrupt')) return undefined;
    throw error;
  }
}
