/** Blobs below a prefix in byte order of their names. */
import { throwIfAborted } from '@srv/kernel';
import { orAborted } from '@srv/lib-stores/block';
import { formatUri } from './address.js';
import { UnexpectedAnswer, isStatus, serviceCode } from './errors.js';
import { etagOf } from './etag.js';
import type { BlobItem, ContainerClient } from '@azure/storage-blob';
import type { WalkOptions as BlockWalkOptions, WalkedObject } from '@srv/lib-stores/block';
import type { BlobAddress } from './address.js';
import type { Accounts } from './client.js';

interface WalkOptions {
  readonly prefix: string;
  readonly pageSize: number;
  readonly signal?: AbortSignal | undefined;
}

const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/**
 * Pages of a listing. What is taken for an empty one by mistake ends the listing, and objects count as gone.
 * @throws UnexpectedAnswer
 */
export async function* pagesOf<Page>(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  try {
    yield* pages;
  } catch (error) {
    // The client library relies on the members of a listing; the service names the container that is missing.
    if (!(error instanceof TypeError || (isStatus(error, 404) && serviceCode(error) === undefined))) throw error;
    throw new UnexpectedAnswer('it is not a listing', { cause: error });
  }
}

/** Accounts without a hierarchical namespace list in byte order. */
async function* listFlat(container: ContainerClient, { prefix, pageSize, signal }: WalkOptions): AsyncGenerator<BlobItem[]> {
  const options = { prefix, includeMetadata: true, ...(signal ? { abortSignal: signal } : {}) };
  for await (const { segment } of pagesOf(container.listBlobsFlat(options).byPage({ maxPageSize: pageSize }))) yield segment.blobItems;
}

/**
 * Accounts with a hierarchical namespace list folder by folder: all of `a/` comes before `a.txt`, although `.` sorts before
 * `/`. So each folder is listed separately, and a subfolder held back until its siblings have passed the place where it
 * belongs. Memory: one page per level, and the subfolders held back.
 */
export async function* listHierarchy(container: ContainerClient, { prefix, pageSize, signal }: WalkOptions): AsyncGenerator<BlobItem[]> {
  const options = { prefix, includeMetadata: true, ...(signal ? { abortSignal: signal } : {}) };
  let held: { name: string; item?: BlobItem }[] = [];
  for await (const { segment } of pagesOf(container.listBlobsByHierarchy('/', options).byPage({ maxPageSize: pageSize }))) {
    const folders = (segment.blobPrefixes ?? []).map(({ name }) => ({ name }));
    const blobs = segment.blobItems.map(item => ({ name: item.name, item }));
    held = [...held, ...folders, ...blobs].sort((a, b) => compare(a.name, b.name));
    // Later names, without the trailing slash of folders, sort after the last one here.
    const last = [...folders, ...blobs]
      .map(({ name }) => name.replace(/\/$/, ''))
      .sort(compare)
      .at(-1);
    const passed = last === undefined ? 0 : held.findIndex(({ name }) => compare(name, last) > 0);
    const ready = held.splice(0, passed < 0 ? held.length : passed);
    yield* inOrder(container, ready, { pageSize, signal });
  }
  yield* inOrder(container, held, { pageSize, signal });
}

async function* inOrder(
  container: ContainerClient,
  entries: readonly { name: string; item?: BlobItem }[],
  options: Omit<WalkOptions, 'prefix'>,
): AsyncGenerator<BlobItem[]> {
  let items: BlobItem[] = [];
  for (const { name, item } of entries) {
    if (item) {
      items.push(item);
      continue;
    }
    if (items.length > 0) yield items;
    items = [];
    yield* listHierarchy(container, { prefix: name, ...options });
  }
  if (items.length > 0) yield items;
}

/**
 * The service cannot begin a listing at a name: to resume, what comes before `after` is listed and left out. Folders of
 * hierarchical namespaces, which are blobs without bytes, are left out, too.
 * @param prefix of the names; keys are reported relative to it up to and including its last `/`.
 */
export async function* walkObjects(
  accounts: Accounts,
  { account, container, blob: prefix }: BlobAddress,
  { after = '', signal }: Pick<BlockWalkOptions, 'after' | 'signal'>,
): AsyncGenerator<readonly WalkedObject[]> {
  const list = (await orAborted(accounts.isHierarchical(account), signal)) ? listHierarchy : listFlat;
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  const listed = accounts.container({ account, container, blob: prefix });
  for await (const items of list(listed, { prefix, pageSize: accounts.pageSize, signal })) {
    throwIfAborted(signal);
    const objects = items.filter(item => !isFolder(item) && compare(item.name.slice(folder.length), after) > 0);
    if (objects.length === 0) continue;
    yield objects.map(({ name, properties }) => ({
      relativeKey: name.slice(folder.length),
      address: formatUri({ account, container, blob: name }, accounts.domain),
      size: properties.contentLength ?? 0,
      etag: etagOf(properties),
      lastModified: properties.lastModified,
    }));
  }
}

function isFolder({ metadata, properties }: BlobItem): boolean {
  return metadata?.['hdi_isfolder'] === 'true' && (properties.contentLength ?? 0) === 0;
}
