/** The block store contract on a folder. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { KeyedLock, ReadyStream, checkPartNumber, multipartEtag, removeEach, withLength } from '@srv/lib-stores/block';
import { SrvError, throwIfAborted } from '@srv/kernel';
import { Etags } from './files/etags.js';
import { missing } from './files/error-codes.js';
import { noData, unless, writing } from './files/file-errors.js';
import { Journal } from './journal/journal.js';
import { ObjectFiles } from './files/object-files.js';
import { scheme } from './files/roots.js';
import { Uploads } from './uploads.js';
import { readRange } from './files/read-range.js';
import { SmallReads, smallRange } from './small-files/small-reads.js';
import type { SmallRange } from './small-files/small-reads.js';
import { smallWriteBytes } from './small-files/small-writes.js';
import { walkSource } from './walk/walk-source.js';
import { inPages } from './walk/walk.js';
import type { WalkedFile } from './walk/walk.js';
import { FactFinder } from './files/file-facts.js';
import type { FileFacts } from './files/file-facts.js';
import { joinFiles } from './files/joined-file.js';
import { copyTemporary, lastModifiedOf, writeTemporary, wrongSize } from './files/written-file.js';
import type {
  BlockStore,
  ByteRange,
  CompletedUpload,
  GetOptions,
  ObjectPointer,
  ObjectProperties,
  OpenUpload,
  PartList,
  PreSigned,
  PutOptions,
  RemovalFailure,
  StorageInfo,
  UploadedPart,
  WalkOptions,
  WalkedObject,
} from '@srv/lib-stores/block';
import type { DurableFolders } from './files/durable-folders.js';
import type { JournalOptions } from './journal/journal.js';
import type { FoundFile, OwnObject } from './files/object-files.js';
import type { LocalObject, Roots } from './files/roots.js';
import type { TemporaryFolder } from './files/temporary.js';
import type { FileState } from './small-files/small-write-messages.js';
import type { WrittenFile } from './files/written-file.js';

interface LocalBlockStoreOptions {
  readonly roots: Roots;
  readonly temporary: TemporaryFolder;
  readonly folders: DurableFolders;
  readonly journal: Pick<JournalOptions, 'folder' | 'bootId' | 'limits' | 'log' | 'adopted'>;
  /** Whether external folders may be walked. */
  readonly importEnabled: boolean;
  /** Whether walks show names that begin with a dot. */
  readonly importHidden: boolean;
}

/** Objects per page of a walk; each may have to be read for its etag. */
const pageSize = 500;
const removalsAtOnce = 32;

export class LocalBlockStore implements BlockStore {
  readonly type = 'local';
  readonly info: StorageInfo;
  readonly #roots: Roots;
  readonly #temporary: TemporaryFolder;
  readonly #etags = new Etags();
  readonly #objects: ObjectFiles;
  readonly #uploads: Uploads;
  readonly #smallReads = new SmallReads();
  readonly #facts = new FactFinder(this.#etags);
  readonly #journal: Journal;
  readonly #options: LocalBlockStoreOptions;
  /** One caller at a time ends an upload. */
  readonly #endings = new KeyedLock();
  #closed = false;

  constructor(options: LocalBlockStoreOptions) {
    const { roots, temporary, folders } = options;
    this.#roots = roots;
    this.#temporary = temporary;
    this.#options = options;
    const locks = new KeyedLock();
    this.#journal = new Journal({ ...options.journal, roots, folders, temporary: temporary.path, locks });
    this.#objects = new ObjectFiles({ roots, folders, etags: this.#etags, journal: this.#journal, locks });
    this.#uploads = new Uploads(roots.base.path, temporary.path, folders, this.#etags);
    this.info = {
      type: 'local',
      namespacePattern: '^local://',
      namespaceExample: 'local://example-bucket/',
      defaultNamespacePrefix: 'local://',
      preSign: false,
      preSignUi: false,
      preSignMultipart: false,
      importSupported: options.importEnabled,
      importPattern: '^local://',
      wholeSegments: Number.POSITIVE_INFINITY,
      productionSafe: true,
    };
  }

  resolve(pointer: ObjectPointer): string {
    return this.#roots.address(pointer);
  }

  async checkReadable(pointer: ObjectPointer): Promise<void> {
    await this.#roots.checkReadable(pointer);
  }

  async put(pointer: ObjectPointer, body: Readable | Buffer, options: PutOptions = {}): Promise<{ lastModified: Date }> {
    const object = this.#writable(pointer);
    return writing(object.address, async () => {
      const isSmall = Buffer.isBuffer(body) && body.length <= smallWriteBytes;
      const state = (isSmall && (await this.#putSmall(object, body, options))) || (await this.#putLarge(object, body, options)).state;
      return { lastModified: lastModifiedOf(state) };
    });
  }

  async putFile(pointer: ObjectPointer, path: string, { size }: Pick<PutOptions, 'size'> = {}): Promise<{ lastModified: Date }> {
    const object = this.#writable(pointer);
    return writing(object.address, async () => {
      const file = await copyTemporary(this.#temporary.path, path, size);
      await this.#objects.place(file, object);
      return { lastModified: lastModifiedOf(file.state) };
    });
  }

  async get(pointer: ObjectPointer, { range, expectedSize, signal }: GetOptions = {}): Promise<Readable> {
    const object = this.#locate(pointer);
    if (range && !(range.start >= 0 && range.end >= range.start))
      throw new SrvError('invalid', `${object.address}: bytes ${range.start}-${range.end} are not a range`);
    throwIfAborted(signal);
    const part = smallRange(range, expectedSize);
    const small = part && (await this.#readSmall(object, part));
    throwIfAborted(signal);
    if (small) return new ReadyStream(small);
    const { path, stats } = await this.#existing(pointer);
    const [start, end] = [range?.start ?? 0, Math.min(range?.end ?? Number.POSITIVE_INFINITY, Number(stats.size) - 1)];
    if (start > end) return withLength(Readable.from([], { objectMode: false }), 0);
    const file = await unless(open(path, 'r'), ...missing);
    if (!file) throw noData(object.address);
    return readRange(file, { start, end }, signal);
  }

  async exists(pointer: ObjectPointer): Promise<boolean> {
    return (await this.#objects.find(this.#locate(pointer))) !== undefined;
  }

  async properties(pointer: ObjectPointer): Promise<ObjectProperties> {
    const { path, stats } = await this.#existing(pointer);
    return { size: Number(stats.size), lastModified: stats.mtime, etag: await this.#etags.of(path, stats) };
  }

  async remove(pointer: ObjectPointer): Promise<void> {
    const object = this.#writable(pointer);
    await writing(object.address, () => this.#objects.remove(object));
  }

  removeAll(pointers: readonly ObjectPointer[], { signal }: { readonly signal?: AbortSignal } = {}): Promise<RemovalFailure[]> {
    return removeEach(pointers, pointer => this.remove(pointer), { limit: removalsAtOnce, signal });
  }

  async copy(source: ObjectPointer, destination: ObjectPointer, signal?: AbortSignal): Promise<void> {
    this.#writable(destination);
    const options = signal ? { signal } : {};
    const body = await this.get(source, options);
    try {
      await this.put(destination, body, options);
    } finally {
      body.destroy();
    }
  }

  async createMultipart(pointer: ObjectPointer): Promise<{ uploadId: string }> {
    const { address } = this.#writable(pointer);
    return { uploadId: await writing(address, () => this.#uploads.create(address)) };
  }

  async uploadPart(
    pointer: ObjectPointer,
    uploadId: string,
    partNumber: number,
    body: Readable | Buffer,
    options: PutOptions = {},
  ): Promise<{ etag: string }> {
    const { md5 } = await this.#addPart(pointer, uploadId, partNumber, body, options);
    return { etag: md5 };
  }

  async copyPart(
    source: ObjectPointer,
    destination: ObjectPointer,
    uploadId: string,
    partNumber: number,
    range?: ByteRange,
  ): Promise<{ etag: string; lastModified: Date }> {
    await this.#uploads.check(uploadId, this.#writable(destination).address);
    const body = await this.get(source, range ? { range } : {});
    try {
      const { md5, state } = await this.#addPart(destination, uploadId, partNumber, body, {});
      return { etag: md5, lastModified: lastModifiedOf(state) };
    } finally {
      body.destroy();
    }
  }

  async listParts(
    pointer: ObjectPointer,
    uploadId: string,
    options: { maxParts?: number; partNumberMarker?: number } = {},
  ): Promise<PartList> {
    const { address } = this.#writable(pointer);
    await this.#uploads.check(uploadId, address);
    return this.#uploads.list(uploadId, address, options);
  }

  async completeMultipart(pointer: ObjectPointer, uploadId: string, parts: readonly UploadedPart[]): Promise<CompletedUpload> {
    const object = this.#writable(pointer);
    return this.#endings.run(uploadId, async () => {
      await this.#uploads.check(uploadId, object.address);
      const matched = await this.#uploads.match(uploadId, object.address, parts);
      return writing(object.address, async () => {
        const size = matched.reduce((sum, p) => sum + p.size, 0);
        const file = await joinFiles(this.#temporary.path, this.#uploads.files(uploadId, object.address, matched), size);
        await this.#objects.place(file, object);
        await this.#uploads.remove(uploadId);
        return { etag: multipartEtag(matched.map(p => p.etag)), size, lastModified: lastModifiedOf(file.state) };
      });
    });
  }

  async abortMultipart(pointer: ObjectPointer, uploadId: string): Promise<void> {
    const { address } = this.#writable(pointer);
    await this.#endings.run(uploadId, async () => {
      await this.#uploads.check(uploadId, address);
      await this.#uploads.remove(uploadId);
    });
  }

  preSign(): Promise<PreSigned> {
    return Promise.reject(notSigned());
  }

  preSignPart(): Promise<PreSigned> {
    return Promise.reject(notSigned());
  }

  /**
   * The objects below a folder, or the one object a URI names. Keys are relative to that folder; of one object the key is
   * its file name.
   * @throws SrvError `unsupported` outside the base folder without `import_enabled`, `not_found` when an external folder
   * is missing, otherwise as {@link Roots.find}.
   */
  async *walk(
    uri: string,
    { after = '', signal, etags = true, facts: withFacts = true, isKnown }: WalkOptions = {},
  ): AsyncGenerator<readonly WalkedObject[]> {
    throwIfAborted(signal);
    if (this.#closed) throw closed();
    const { folder, files } = await walkSource(this.#roots, this.#objects, uri, {
      after,
      ...this.#options,
      ...(isKnown ? { isKnown } : {}),
    });
    const describe = async (found: readonly WalkedFile[]): Promise<WalkedObject[]> => {
      if (!withFacts) return found.map(({ key }) => namedObject(folder, key));
      const paths = found.map(({ path }) => path);
      const facts = await this.#facts.of(paths, { etags });
      return found.flatMap(({ key }, i) => {
        const known = facts[i];
        // Removed while we walked.
        return known ? [walkedObject(folder, key, known)] : [];
      });
    };
    // The next page is read while this one is in use.
    let ahead: Promise<WalkedObject[]> | undefined;
    for await (const found of inPages(files, pageSize)) {
      throwIfAborted(signal);
      const next = describe(found);
      next.catch(() => {});
      const page = await ahead;
      ahead = next;
      if (page && page.length > 0) yield page;
    }
    const last = await ahead;
    throwIfAborted(signal);
    if (last && last.length > 0) yield last;
  }

  openUploads(uri: string): AsyncIterable<readonly OpenUpload[]> {
    return this.#uploads.open(uri);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#smallReads.close(), this.#facts.close(), this.#journal.close()]);
    await this.#temporary.close();
  }

  /** Of objects below the base folder, at their plain place; `undefined` leaves the question open. */
  #readSmall({ plain, name }: LocalObject, part: SmallRange): Promise<Buffer | undefined> | undefined {
    if (plain === undefined || name === undefined) return undefined;
    // The path of a plain name is a clean one: this is what `dirname` and `join` would find.
    const slash = plain.lastIndexOf('/');
    const parent = plain.slice(0, slash);
    const read = (folder: string): Promise<Buffer | undefined> => this.#smallReads.read(folder + plain.slice(slash), part);
    const known = this.#roots.knownFolder(parent);
    if (known !== undefined) return read(known);
    return unless(this.#roots.realFolder(parent), ...missing).then(folder => (folder === undefined ? undefined : read(folder)));
  }

  #locate(pointer: ObjectPointer): LocalObject {
    if (this.#closed) throw closed();
    return this.#roots.find(pointer);
  }

  /** @throws SrvError `forbidden` for an object outside the base folder. */
  #writable(pointer: ObjectPointer): OwnObject {
    const { address, plain, name } = this.#locate(pointer);
    if (name === undefined) throw new SrvError('forbidden', `${address}: forbidden; external folders may only be read`);
    return { address, plain, name };
  }

  async #existing(pointer: ObjectPointer): Promise<FoundFile> {
    const object = this.#locate(pointer);
    const found = await this.#objects.find(object);
    if (!found) throw noData(object.address);
    return found;
  }

  async #putLarge(object: OwnObject, body: Readable | Buffer, options: PutOptions): Promise<WrittenFile> {
    const file = await writeTemporary(this.#temporary.path, body, options);
    await this.#objects.place(file, object);
    return file;
  }

  /** @returns `undefined` when it has to be stored as a large one. */
  async #putSmall(object: OwnObject, body: Buffer, { size, signal, md5 }: PutOptions): Promise<FileState | undefined> {
    throwIfAborted(signal);
    if (size !== undefined && body.length !== size) throw wrongSize(size, String(body.length));
    return this.#objects.writeSmall(object, body, () => md5?.() ?? createHash('md5').update(body).digest('hex'));
  }

  async #addPart(
    pointer: ObjectPointer,
    uploadId: string,
    partNumber: number,
    body: Readable | Buffer,
    options: PutOptions,
  ): Promise<WrittenFile> {
    checkPartNumber(partNumber);
    const { address } = this.#writable(pointer);
    await this.#uploads.check(uploadId, address);
    return writing(address, async () => {
      const file = await writeTemporary(this.#temporary.path, body, options);
      await this.#uploads.add(uploadId, address, partNumber, file);
      return file;
    });
  }
}

function closed(): SrvError {
  return new SrvError('closed', 'the block store has been closed');
}

function notSigned(): SrvError {
  return new SrvError('unsupported', 'operation not supported: a local folder has no pre-signed URLs; use the server');
}

/** An object nothing but the name of which was asked for. */
function namedObject(folder: string, key: string): WalkedObject {
  return { relativeKey: key, address: `${scheme}://${folder}${key}`, size: 0, etag: '', lastModified: new Date(0) };
}

function walkedObject(folder: string, key: string, { state, etag }: FileFacts): WalkedObject {
  return {
    relativeKey: key,
    address: `${scheme}://${folder}${key}`,
    size: Number(state.size),
    etag,
    lastModified: lastModifiedOf(state),
    lastModifiedNanos: Number(state.mtimeNs % 1_000_000n),
  };
}
