/** Symlink files: for query engines that read a folder's objects from a list of their addresses. */
import { Readable } from 'node:stream';
import { identifierType, namespaceOf } from '@srv/lib-stores/block';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Engine } from '../contract.js';
import type { Repository } from '../refs/contract.js';

/** Folder of all symlink files below the storage namespace. */
const folder = 'symlinks';
const delimiter = '/';

/**
 * Writes `symlinks/<repository>/<branch>/<directory>/symlink.txt` for every directory at or below `location` that holds
 * objects: one address per line, in order of paths.
 * @returns the address of the folder of all symlink files.
 */
export async function createSymlinks(
  repository: Repository,
  branch: string,
  location: string,
  { block, list }: { readonly block: BlockStore; readonly list: Engine['list'] },
): Promise<string> {
  const namespace = namespaceOf(repository);
  const waiting = [location === '' || location.endsWith(delimiter) ? location : location + delimiter];
  for (let prefix = waiting.pop(); prefix !== undefined; prefix = waiting.pop()) {
    const lines = addresses(list, { repository: repository.id, branch, prefix }, found => waiting.push(found));
    const first = await lines.next();
    if (first.done) continue;
    const pointer = {
      namespace,
      identifier: `${folder}/${repository.id}/${branch}/${prefix}symlink.txt`,
      identifierType: identifierType.relative,
    };
    await block.put(pointer, Readable.from(resumed(first.value, lines), { objectMode: false }));
  }
  const shown = block.resolve({ namespace, identifier: `${folder}/x`, identifierType: identifierType.relative });
  return shown.slice(0, -'/x'.length);
}

/** One text per page: the addresses of the objects right below the prefix. */
async function* addresses(
  list: Engine['list'],
  place: { repository: string; branch: string; prefix: string },
  onDirectory: (prefix: string) => void,
): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const { results, hasMore, nextOffset } = await list(place.repository, place.branch, {
      prefix: place.prefix,
      delimiter,
      after,
      amount: 1000,
    });
    let text = '';
    for (const item of results) {
      if (item.kind === 'common_prefix') onDirectory(item.path);
      else text += `${item.entry.physicalAddress}\n`;
    }
    if (text !== '') yield text;
    if (!hasMore) return;
    after = nextOffset;
  }
}

async function* resumed(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}
