/** What is special about a folder as a block store. */
import { KeyedLock } from '@srv/lib-stores/block';
import { Etags } from './files/etags.js';
import { writing } from './files/file-errors.js';
import { FactFinder } from './files/file-facts.js';
import { ObjectFiles, writable } from './files/object-files.js';
import { localInfo } from './info.js';
import { Journal } from './journal/journal.js';
import { ObjectReader } from './read.js';
import { Uploads } from './uploads.js';
import { walkObjects } from './walk.js';
import { writeFile, writeObject } from './write.js';
import type { Readable } from 'node:stream';
import type {
  BlockDriver,
  BlockPlace,
  GetOptions,
  ObjectPointer,
  ObjectProperties,
  OpenUpload,
  PutOptions,
  StorageInfo,
  WalkOptions,
  WalkedObject,
} from '@srv/lib-stores/block';
import type { DurableFolders } from './files/durable-folders.js';
import type { LocalObject, Roots } from './files/roots.js';
import type { TemporaryFolder } from './files/temporary.js';
import type { JournalOptions } from './journal/journal.js';

interface LocalStoreOptions {
  readonly roots: Roots;
  readonly temporary: TemporaryFolder;
  readonly folders: DurableFolders;
  readonly journal: Pick<JournalOptions, 'folder' | 'bootId' | 'limits' | 'log' | 'adopted'>;
  /** Whether external folders may be walked. */
  readonly importEnabled: boolean;
  /** Whether walks show names that begin with a dot. */
  readonly importHidden: boolean;
}

const notSigned = 'operation not supported: a local folder has no pre-signed URLs; use the server';

export class LocalDriver implements BlockDriver<LocalObject, BlockPlace> {
  readonly info: StorageInfo;
  readonly uploads: Uploads;
  readonly unsigned = { object: notSigned, part: notSigned };
  readonly removalsAtOnce = 32;
  readonly #options: LocalStoreOptions;
  readonly #roots: Roots;
  readonly #temporary: TemporaryFolder;
  readonly #etags = new Etags();
  readonly #facts = new FactFinder(this.#etags);
  readonly #journal: Journal;
  readonly #objects: ObjectFiles;
  readonly #reader: ObjectReader;

  constructor(options: LocalStoreOptions) {
    const { roots, temporary, folders } = options;
    this.#options = options;
    this.#roots = roots;
    this.#temporary = temporary;
    const locks = new KeyedLock();
    this.#journal = new Journal({ ...options.journal, roots, folders, temporary: temporary.path, syncs: temporary.syncs, locks });
    this.#objects = new ObjectFiles({ roots, folders, etags: this.#etags, journal: this.#journal, locks });
    this.#reader = new ObjectReader(roots, this.#objects);
    const [objects, reader, etags] = [this.#objects, this.#reader, this.#etags];
    this.uploads = new Uploads({ base: roots.base.path, temporary, folders, etags, objects, reader });
    this.info = localInfo(options.importEnabled);
  }

  resolve(pointer: ObjectPointer): string {
    return this.#roots.address(pointer);
  }

  locate(pointer: ObjectPointer): LocalObject {
    return this.#roots.find(pointer);
  }

  locatePrefix(uri: string): BlockPlace {
    return { address: uri };
  }

  async checkReadable(pointer: ObjectPointer): Promise<void> {
    await this.#roots.checkReadable(pointer);
  }

  async put(place: LocalObject, body: Readable | Buffer, options: PutOptions): Promise<{ lastModified: Date }> {
    return writeObject(this.#files, writable(place), body, options);
  }

  async putFile(place: LocalObject, path: string, { size }: Pick<PutOptions, 'size'>): Promise<{ lastModified: Date }> {
    return writeFile(this.#files, writable(place), path, size);
  }

  get(place: LocalObject, options: GetOptions): Promise<Readable> {
    return this.#reader.read(place, options);
  }

  async exists(place: LocalObject): Promise<boolean> {
    return (await this.#objects.find(place)) !== undefined;
  }

  async properties(place: LocalObject): Promise<ObjectProperties> {
    const { path, stats } = await this.#objects.existing(place);
    return { size: Number(stats.size), lastModified: stats.mtime, etag: await this.#etags.of(path, stats) };
  }

  async remove(place: LocalObject): Promise<void> {
    const own = writable(place);
    await writing(place.address, () => this.#objects.remove(own));
  }

  async copy(source: LocalObject, destination: LocalObject, signal?: AbortSignal): Promise<void> {
    const own = writable(destination);
    const options = { signal };
    const body = await this.#reader.read(source, options);
    try {
      await writeObject(this.#files, own, body, options);
    } finally {
      body.destroy();
    }
  }

  walk({ address }: BlockPlace, options: WalkOptions): AsyncIterable<readonly WalkedObject[]> {
    const { importEnabled, importHidden } = this.#options;
    const folders = { roots: this.#roots, objects: this.#objects, facts: this.#facts, importEnabled, importHidden };
    return walkObjects(folders, address, options);
  }

  openUploads({ address }: BlockPlace): AsyncIterable<readonly OpenUpload[]> {
    return this.uploads.open(address);
  }

  async close(): Promise<void> {
    await Promise.all([this.#reader.close(), this.#facts.close(), this.#journal.close()]);
    await this.#temporary.close();
  }

  get #files() {
    return { objects: this.#objects, temporary: this.#temporary };
  }
}
