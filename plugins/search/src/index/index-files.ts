/** The files of an index in a repository's storage namespace, and the parts of them that stay in memory. */
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { SrvError, isSrvError, throwIfAborted } from '@srv/kernel';
import { identifierType, namespaceOf, slicesOf, walkUri } from '@srv/lib-stores/block';
import { LRUCache } from 'lru-cache';
import { decodeAttribution } from '../format/attribution.js';
import { decodeHead, decodeNumbers, decodeTexts, headBytes } from '../format/columns.js';
import { decodeSnapshot, encodeSnapshot } from '../format/snapshot.js';
import type { CommittedStore, Repository } from '@srv/engine/contract';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';
import type { Attribution } from '../format/attribution.js';
import type { ColumnsHead, NumberColumn, TextColumn, Texts } from '../format/columns.js';
import type { WholeColumns } from '../format/columns-writer.js';
import type { IndexedChanges, Snapshot } from '../format/snapshot.js';

type Part = ColumnsHead | Float64Array | Texts | Attribution | Snapshot;

export interface IndexFile {
  /** Such as `ranges/<id>`. */
  readonly name: string;
  /** Relative to the namespace. */
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly lastModified: Date;
}

interface Walk {
  readonly folder: string;
  readonly facts: boolean;
  readonly signal: AbortSignal | undefined;
}

interface IndexFilesOptions {
  readonly block: BlockStore;
  readonly committed: CommittedStore;
  /** @bound bytes of unpacked parts of index files */
  readonly memory: number;
}

/** Names of files, relative to the folder of the index. */
export const rangeFile = (range: string): string => `ranges/${range}`;
export const changesFile = (id: string): string => `changes/${id}`;
const attributionFile = (id: string): string => `attributions/${id}`;

/** Everything that a snapshot names. */
export function* filesOf({ ranges, changes }: Snapshot): Generator<string> {
  for (const { id, by } of ranges) {
    yield rangeFile(id);
    if ('file' in by) yield attributionFile(by.file);
  }
  if (!changes) return;
  yield changesFile(changes.id);
  if ('file' in changes.by) yield attributionFile(changes.by.file);
}

/** Only of files of the index: the engine has the same code for its own, which no indexer can make again. */
export class MissingIndexFile extends SrvError {
  constructor(name: string, cause: unknown) {
    super('no_data', `index file ${name} is missing`, { cause });
  }
}

/** A small file is read whole for its head, so that its columns cost no further requests. */
const firstRead = 4096;
const lot = 500;

export class IndexFiles {
  readonly #options: IndexFilesOptions;
  readonly #parts: LRUCache<string, { readonly part: Part; readonly bytes: number }>;
  readonly #reading = new Map<string, Promise<Part>>();

  constructor(options: IndexFilesOptions) {
    this.#options = options;
    this.#parts = new LRUCache({ maxSize: options.memory, sizeCalculation: ({ bytes }) => bytes + 200 });
  }

  /** @throws MissingIndexFile when the commit is not indexed. */
  snapshot(repository: Repository, commit: string): Promise<Snapshot> {
    return this.#part(repository, `commits/${commit}`, async name => {
      const bytes = await this.#read(repository, name);
      return { part: decodeSnapshot(bytes, commit), bytes: 2 * bytes.length };
    });
  }

  async findSnapshot(repository: Repository, commit: string): Promise<Snapshot | undefined> {
    try {
      return await this.snapshot(repository, commit);
    } catch (error) {
      if (error instanceof MissingIndexFile) return undefined;
      throw error;
    }
  }

  async writeSnapshot(repository: Repository, snapshot: Snapshot): Promise<void> {
    await this.#write(repository, `commits/${snapshot.commit}`, encodeSnapshot(snapshot));
  }

  async hasRange(repository: Repository, range: string): Promise<boolean> {
    return this.#options.block.exists(await this.#pointer(repository, rangeFile(range)));
  }

  async writeRange(repository: Repository, range: string, file: Buffer): Promise<void> {
    await this.#write(repository, rangeFile(range), file);
  }

  /** @returns the id of the file. */
  writeChanges(repository: Repository, file: Buffer): Promise<string> {
    return this.#writeNamed(repository, changesFile, file);
  }

  /** @returns the id of the file. */
  writeAttribution(repository: Repository, file: Buffer): Promise<string> {
    return this.#writeNamed(repository, attributionFile, file);
  }

  /** @param file with columns: that of a range, or of changes. */
  head(repository: Repository, file: string): Promise<ColumnsHead> {
    return this.#part(repository, file, async name => {
      const bytes = await this.#read(repository, name, { start: 0, length: firstRead });
      return { part: decodeHead(bytes.subarray(0, headBytes), name), bytes: 500 };
    });
  }

  numbers(repository: Repository, file: string, column: NumberColumn): Promise<Float64Array> {
    return this.#part(repository, `${file}/${column}`, async () => {
      const { placed, stored, name } = await this.#column(repository, file, column);
      const numbers = await decodeNumbers(stored, placed, name);
      return { part: numbers, bytes: numbers.byteLength };
    });
  }

  texts(repository: Repository, file: string, column: TextColumn): Promise<Texts> {
    return this.#part(repository, `${file}/${column}`, async () => {
      const { placed, stored, name, count } = await this.#column(repository, file, column);
      return { part: await decodeTexts(stored, { placed, count }, name), bytes: 2 * placed.unpacked };
    });
  }

  /** All columns. @param count entries that the file must have. @throws SrvError `corrupt` when it has others. */
  async whole(repository: Repository, file: string, count: number): Promise<WholeColumns> {
    const head = await this.head(repository, file);
    if (head.count !== count)
      throw new SrvError(
        'corrupt',
        `index file ${file} is about ${head.count} entries, not ${count}; \`cli search rebuild\` makes it again`,
      );
    const [path, etag, type, metadata, size, modified] = await Promise.all([
      this.texts(repository, file, 'path'),
      this.texts(repository, file, 'etag'),
      this.texts(repository, file, 'type'),
      this.texts(repository, file, 'metadata'),
      this.numbers(repository, file, 'size'),
      this.numbers(repository, file, 'modified'),
    ]);
    return { texts: { path, etag, type, metadata }, numbers: { size, modified } };
  }

  attribution(repository: Repository, { id, count, by }: IndexedChanges): Promise<Attribution> {
    if ('commit' in by) return Promise.resolve({ commits: [by.commit], indexes: new Uint32Array(count) });
    // The file may be that of a range of another length, which another reader expects.
    return this.#part(repository, `${attributionFile(by.file)}/${id}`, async () => {
      const name = attributionFile(by.file);
      return { part: decodeAttribution(await this.#read(repository, name), count, name), bytes: 4 * count };
    });
  }

  /** Removes every file of the index. */
  async clear(repository: Repository, signal?: AbortSignal): Promise<void> {
    const { block } = this.#options;
    try {
      for await (const page of this.#walk(repository, { folder: '', facts: false, signal }))
        for (const slice of slicesOf([...page], lot)) {
          throwIfAborted(signal);
          const pointers = await Promise.all(slice.map(({ relativeKey }) => this.#pointer(repository, relativeKey)));
          const [failure] = await block.removeAll(pointers, { signal });
          if (failure) throw failure.error;
        }
    } finally {
      this.#parts.clear();
    }
  }

  /** @param folder such as `commits/`; empty: every file of the index. */
  async *list(repository: Repository, folder: string, signal: AbortSignal): AsyncGenerator<IndexFile> {
    const { identifier: root } = await this.#pointer(repository, folder);
    for await (const page of this.#walk(repository, { folder, facts: true, signal }))
      for (const { relativeKey, size, lastModified } of page)
        yield { name: folder + relativeKey, key: root + relativeKey, size, lastModified };
  }

  /** As `snapshot`, for a reader that needs it once. */
  async readSnapshot(repository: Repository, commit: string): Promise<Snapshot> {
    return decodeSnapshot(await this.#read(repository, `commits/${commit}`), commit);
  }

  /** Files have been removed. */
  forget(): void {
    this.#parts.clear();
  }

  async *#walk(repository: Repository, { folder, facts, signal }: Walk) {
    const { block } = this.#options;
    const { namespace, identifier } = await this.#pointer(repository, folder);
    try {
      yield* block.walk(walkUri(block, namespace, identifier), { etags: false, facts, signal });
    } catch (error) {
      // There is no index.
      if (!isSrvError(error, 'not_found', 'no_data')) throw error;
    }
  }

  async #column(repository: Repository, name: string, column: NumberColumn | TextColumn) {
    const { count, columns } = await this.head(repository, name);
    const placed = columns[column];
    const stored =
      placed.stored === 0 ? Buffer.alloc(0) : await this.#read(repository, name, { start: placed.start, length: placed.stored });
    return { placed, stored, name, count };
  }

  /** Readers of one part share one request. */
  async #part<T extends Part>(
    repository: Repository,
    name: string,
    read: (name: string) => Promise<{ readonly part: T; readonly bytes: number }>,
  ): Promise<T> {
    const key = keyOf(repository, name);
    const known = this.#parts.get(key);
    if (known) return known.part as T;
    let reading = this.#reading.get(key);
    if (!reading) {
      reading = read(name).then(found => {
        this.#parts.set(key, found);
        return found.part;
      });
      this.#reading.set(key, reading);
      const done = (): void => void this.#reading.delete(key);
      reading.then(done, done);
    }
    return reading as Promise<T>;
  }

  async #read(repository: Repository, name: string, part?: { readonly start: number; readonly length: number }): Promise<Buffer> {
    const range = part && { start: part.start, end: part.start + part.length - 1 };
    const pointer = await this.#pointer(repository, name);
    try {
      return await buffer(await this.#options.block.get(pointer, range ? { range } : {}));
    } catch (error) {
      if (isSrvError(error, 'no_data')) throw new MissingIndexFile(name, error);
      throw error;
    }
  }

  /** Writes a file that is named by its bytes, if it does not exist. @returns its id. */
  async #writeNamed(repository: Repository, nameOf: (id: string) => string, file: Buffer): Promise<string> {
    const id = createHash('sha256').update(file).digest('hex');
    const name = nameOf(id);
    if (!(await this.#options.block.exists(await this.#pointer(repository, name)))) await this.#write(repository, name, file);
    return id;
  }

  async #write(repository: Repository, name: string, file: Buffer): Promise<void> {
    await this.#options.block.put(await this.#pointer(repository, name), file, { size: file.length });
  }

  async #pointer(repository: Repository, name: string): Promise<ObjectPointer> {
    const namespace = namespaceOf(repository);
    const folder = await this.#options.committed.folderOf(namespace);
    return { namespace, identifier: `${folder}/search/${name}`, identifierType: identifierType.relative };
  }
}

function keyOf(repository: Repository, name: string): string {
  return `${namespaceOf(repository)} ${name}`;
}
