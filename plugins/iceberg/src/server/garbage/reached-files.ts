/**
 * Files that pointers reach: metadata, what it names, manifest lists, manifests, files of data and of deletions, statistics. Each
 * file is read once, however many versions of a table name it.
 */
import { isSrvError, messageOf, throwIfAborted } from '@srv/kernel';
import { AvroError } from '@srv/lib-records/tables/avro/error';
import { inParallel } from '@srv/lib-stores/block';
import { isCatalogError } from '../errors.js';
import { isObject, parseExact } from '../exact-json.js';
import { eachEntry, entryStatus } from '../manifests/manifest.js';
import { readManifestList } from '../manifests/manifest-list.js';
import { unpackedDocument } from '../storage/packed.js';
import { addressOf, exactPath, filePath, maxFile, ownAddress } from '../storage/table-files.js';
import { NameSet } from './name-set.js';
import type { Repository } from '@srv/engine/contract';
import type { JsonObject } from '../exact-json.js';
import type { TableFiles } from '../storage/table-files.js';

interface ReachedOptions {
  readonly repository: Repository;
  readonly files: Pick<TableFiles, 'read'>;
  readonly signal: AbortSignal;
  /** Called once for each table folder of which nothing may be removed. */
  readonly report: (problem: string) => void;
}

/** Names of files that are held at most: 16 bytes each. */
const maxFiles = 16_000_000;
const filesAtOnce = 8;

export class ReachedFiles {
  readonly #options: ReachedOptions;
  readonly #names = new NameSet(maxFiles);
  /** Metadata files, manifest lists and manifests that were read. */
  readonly #read = new Set<string>();
  /** Those that could not be read, and why. */
  readonly #unreadable = new Map<string, string>();
  /** Folders of which nothing goes. */
  readonly #folders = new Set<string>();

  constructor(options: ReachedOptions) {
    this.#options = options;
  }

  /** @param path below the folder of table files. */
  has(path: string): boolean {
    if (this.#names.has(path)) return true;
    for (const folder of this.#folders) if (path.startsWith(folder)) return true;
    return false;
  }

  keep(address: string): void {
    for (const path of this.#paths(address)) {
      this.#names.add(path);
      // Programs that make addresses of names may encode them.
      if (path.includes('%')) this.#names.add(decodedPath(path));
    }
  }

  /** Keeps all that a metadata file reaches. @param mayBeMissing when it does not exist, nothing is kept for it. */
  async keepTable(metadata: string, { mayBeMissing = false }: { readonly mayBeMissing?: boolean | undefined } = {}): Promise<void> {
    if (filePath(this.#options.repository, metadata) === undefined) return this.#keepAll(metadata);
    this.keep(metadata);
    if (this.#read.has(metadata) && !this.#unreadable.has(metadata)) return;
    if (mayBeMissing && (await this.#isMissing(metadata))) return;
    const own = new Set([metadata]);
    const content = await this.#once(metadata, own, parsed);
    if (content) await this.#keepContent(content, own);
    const unreadable = [...own].filter(address => this.#unreadable.has(address));
    if (unreadable.length > 0) this.#protect(own, content, unreadable);
  }

  async #isMissing(address: string): Promise<boolean> {
    const { repository, files } = this.#options;
    try {
      await files.read(repository, ownAddress(repository, address));
      return false;
    } catch (error) {
      // All else is found, and reported, when the file is read.
      return isCatalogError(error) && error.status === 404;
    }
  }

  /** @param own grows by the files that the table has. */
  async #keepContent(metadata: JsonObject, own: Set<string>): Promise<void> {
    for (const file of [...objects(metadata['statistics']), ...objects(metadata['partition-statistics'])])
      this.#keepText(file['statistics-path']);
    for (const line of objects(metadata['metadata-log'])) this.#keepText(line['metadata-file']);
    const lists: string[] = [];
    for (const snapshot of objects(metadata['snapshots'])) {
      const list = snapshot['manifest-list'];
      if (typeof list === 'string') lists.push(list);
      // As the first version of the format allows.
      const manifests = snapshot['manifests'];
      if (Array.isArray(manifests))
        for (const manifest of manifests) if (typeof manifest === 'string') await this.#keepManifest(manifest, own);
    }
    await inParallel(lists, filesAtOnce, list => this.#keepList(list, own));
  }

  async #keepList(address: string, own: Set<string>): Promise<void> {
    this.keep(address);
    own.add(address);
    const manifests = await this.#once(address, own, readManifestList);
    for (const { path } of manifests ?? []) {
      await this.#keepManifest(path, own);
      // Other versions of the table that have the list do not read it again.
      const reason = this.#unreadable.get(path);
      if (reason !== undefined) this.#unreadable.set(address, reason);
    }
  }

  async #keepManifest(address: string, own: Set<string>): Promise<void> {
    this.keep(address);
    own.add(address);
    await this.#once(address, own, async bytes => {
      await eachEntry(bytes, ({ status, path }) => {
        // A removed file is there for the snapshots that have it still.
        if (status !== entryStatus.deleted) this.keep(path);
      });
      return true;
    });
  }

  /** Reads a file unless it was read before. */
  async #once<T>(address: string, own: Set<string>, read: (bytes: Buffer) => Promise<T>): Promise<T | undefined> {
    own.add(address);
    if (this.#read.has(address)) return undefined;
    this.#read.add(address);
    const { repository, files, signal } = this.#options;
    throwIfAborted(signal);
    try {
      return await read(await files.read(repository, ownAddress(repository, address)));
    } catch (error) {
      // Anything else, such as a store that does not answer, ends the collection.
      if (!(error instanceof AvroError || isCatalogError(error) || isSrvError(error, 'invalid'))) throw error;
      const message = messageOf(error);
      this.#unreadable.set(address, message.includes(address) ? message : `${address}: ${message}`);
      return undefined;
    }
  }

  /** Such as where a storage namespace was copied: which of the files are meant is not known until the table has an address here. */
  #keepAll(metadata: string): void {
    if (this.#folders.has('')) return;
    this.#folders.add('');
    this.#options.report(`no file of a table was removed: ${metadata} is not an address of this repository`);
  }

  /** Keeps everything in the folders of a table that is not known whole. */
  #protect(own: ReadonlySet<string>, metadata: JsonObject | undefined, unreadable: readonly string[]): void {
    const { repository, report } = this.#options;
    const named = [metadata?.['location'], properties(metadata)['write.data.path'], properties(metadata)['write.metadata.path']];
    const places = [...own].map(address => address.replace(/\/metadata\/[^/]*$/, '').replace(/\/[^/]*\.(json|avro)$/, ''));
    const fresh = new Set<string>();
    for (const place of [...places, ...named]) {
      for (const path of typeof place === 'string' ? this.#paths(place) : []) if (!this.#folders.has(`${path}/`)) fresh.add(`${path}/`);
    }
    for (const folder of fresh) this.#folders.add(folder);
    if (fresh.size === 0) return;
    const folders = [...fresh].map(folder => addressOf(repository.id, folder)).join(', ');
    const reasons = new Set(unreadable.map(address => this.#unreadable.get(address)));
    report(`nothing of ${folders} was removed: ${[...reasons].join(', ')}`);
  }

  /** Where a file may be: a store of objects keeps empty parts of names, a folder drops them. */
  #paths(address: string): ReadonlySet<string> {
    const { repository } = this.#options;
    return new Set([exactPath(repository, address), filePath(repository, address)].filter(path => path !== undefined));
  }

  #keepText(address: unknown): void {
    if (typeof address === 'string') this.keep(address);
  }
}

async function parsed(bytes: Buffer): Promise<JsonObject> {
  const unpacked = await unpackedDocument(bytes, maxFile).catch((error: unknown) => {
    throw new AvroError(`it is damaged, or has more than ${maxFile >> 20} MiB when it is unpacked`, { cause: error });
  });
  const read = await parseExact(unpacked, 'it');
  if (isObject(read) && read['format-version'] !== undefined) return read;
  throw new AvroError('it is not a metadata file');
}

function properties(metadata: JsonObject | undefined): JsonObject {
  const found = metadata?.['properties'];
  return isObject(found) ? found : {};
}

function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
