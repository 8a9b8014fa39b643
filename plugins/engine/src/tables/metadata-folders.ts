/**
 * Which folder of a storage namespace holds its metadata files. Other products use another folder than this
 * product, and one database may hold repositories of both. A namespace shows its folder by the mark that the creation of
 * a repository leaves there, or by a metadata file.
 */

import { isSrvError } from '@srv/kernel';
import { identifierType } from '@srv/lib-stores/block';
import { LRUCache } from 'lru-cache';
import { setAsideFolder } from './contract.js';
import type { Readable } from 'node:stream';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';
import type { MetadataFile } from './contract.js';

const knownFolders = ['_srv', '_lakefs'];
const markName = 'dummy';
/** @bound namespaces whose folder is remembered */
const maxNamespaces = 10_000;

interface MetadataFoldersOptions {
  readonly block: BlockStore;
  /** `committed.block_storage_prefix` */
  readonly configured: string;
}

export class MetadataFolders {
  readonly #block: BlockStore;
  readonly #configured: string;
  /** Limited by size: a limit of the number makes all places in advance. */
  readonly #found = new LRUCache<string, string>({ maxSize: maxNamespaces, sizeCalculation: () => 1 });
  #forNew: string | (() => Promise<string>);

  constructor({ block, configured }: MetadataFoldersOptions) {
    this.#block = block;
    this.#configured = configured;
    this.#forNew = configured;
  }

  /** Folder for namespaces that show none: new repositories. While it is not decided, the configured one. */
  get forNew(): string {
    return typeof this.#forNew === 'string' ? this.#forNew : this.#configured;
  }

  /** @param folder a function is called when the folder is needed, until it returns one. */
  useForNew(folder: string | (() => Promise<string>)): void {
    this.#forNew = folder;
  }

  /** {@link forNew}, decided. @throws what the function given to {@link useForNew} throws. */
  async decideForNew(): Promise<string> {
    if (typeof this.#forNew !== 'string') this.#forNew = await this.#forNew();
    return this.#forNew;
  }

  /**
   * Folder of the mark, else of the metadata file `id`; `undefined` when the namespace shows neither.
   * @param id of a file that is known to exist; `''`: none is.
   */
  async find(namespace: string, id = ''): Promise<string | undefined> {
    const known = this.#found.get(namespace);
    if (known !== undefined) return known;
    for (const name of id === '' ? [markName] : [markName, id]) {
      for (const folder of this.#candidates(namespace)) {
        if (!(await this.#block.exists(at(namespace, folder, name)))) continue;
        this.#found.set(namespace, folder);
        return folder;
      }
    }
    return undefined;
  }

  /** Folder for files to be written. */
  async forWriting(namespace: string): Promise<string> {
    return (await this.find(namespace)) ?? this.decideForNew();
  }

  /** Bytes of a metadata file, from whichever folder holds it, quarantine included. @throws SrvError `no_data` */
  open(namespace: string, id: string): Promise<Readable> {
    return this.#findFile(namespace, id, pointer => this.#block.get(pointer));
  }

  /** The same, with the number of bytes. @throws SrvError `no_data` */
  openSized(namespace: string, id: string): Promise<MetadataFile> {
    return this.#findFile(namespace, id, async pointer => {
      const { size } = await this.#block.properties(pointer);
      return { size, body: await this.#block.get(pointer) };
    });
  }

  /** @param open throws `no_data` where the file is not. */
  async #findFile<T>(namespace: string, id: string, open: (pointer: ObjectPointer) => Promise<T>): Promise<T> {
    let missing: unknown;
    const folders = this.#candidates(namespace);
    for (const place of [...folders, ...folders.map(folder => `${folder}/${setAsideFolder}`)]) {
      try {
        const file = await open(at(namespace, place, id));
        const [folder = place] = place.split(`/${setAsideFolder}`);
        if (folder !== this.#configured && !this.#found.has(namespace)) this.#found.set(namespace, folder);
        return file;
      } catch (error) {
        if (!isSrvError(error, 'no_data')) throw error;
        missing ??= error;
      }
    }
    throw missing;
  }

  /** The folders a namespace may use, for messages. */
  get names(): string {
    return this.#candidates('').join(' or ');
  }

  #candidates(namespace: string): string[] {
    const found = this.#found.get(namespace);
    return [...new Set([...(found === undefined ? [] : [found]), this.#configured, ...knownFolders])];
  }
}

/** A name in a folder of a namespace. */
export function at(namespace: string, folder: string, name: string): ObjectPointer {
  return { namespace, identifier: `${folder}/${name}`, identifierType: identifierType.relative };
}
