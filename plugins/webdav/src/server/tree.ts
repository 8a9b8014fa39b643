/** A ref as a tree of folders and files. */
import { isSrvError } from '@srv/kernel';
import { DavError } from './errors.js';
import { nameOf, parentOf } from './target.js';
import type { Engine, Entry, Repository } from '@srv/engine/contract';
import type { Scratch, ScratchFile } from './scratch.js';

/** Type of the empty objects that make a folder exist without others: `<path>/`. */
export const folderType = 'application/x-directory';

export interface Folder {
  readonly kind: 'folder';
  /** Without slash at its end; empty: the top of the ref. */
  readonly path: string;
  /** The object `<path>/`. */
  readonly marker?: Entry | undefined;
}

export interface File {
  readonly kind: 'file';
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly etag: string;
  readonly contentType: string;
  readonly lastModified: Date;
  readonly metadata: Readonly<Record<string, string>>;
  readonly source: { readonly entry: Entry } | { readonly scratch: ScratchFile };
}

export type Resource = Folder | File;

interface TreeParts {
  readonly engine: Engine;
  readonly scratch: Scratch;
  readonly repository: Repository;
  readonly ref: string;
  /** Whose temporary files are shown. */
  readonly user: string;
}

/** Only such a ref can be a branch. */
const branchName = /^\w[-\w]*$/;
const commitId = /^[0-9a-f]{64}$/;
const pageSize = 1000;

export class Tree {
  readonly repository: Repository;
  readonly ref: string;
  readonly #engine: Engine;
  readonly #scratch: Scratch;
  readonly #user: string;
  #isBranch: Promise<boolean> | undefined;

  constructor({ engine, scratch, repository, ref, user }: TreeParts) {
    this.repository = repository;
    this.ref = ref;
    this.#engine = engine;
    this.#scratch = scratch;
    this.#user = user;
  }

  /** Whether the ref names a branch: only those take writes. */
  isBranch(): Promise<boolean> {
    this.#isBranch ??= this.#findBranch();
    return this.#isBranch;
  }

  /** Whether what the ref shows can never change. */
  get isCommit(): boolean {
    return commitId.test(this.ref);
  }

  async #findBranch(): Promise<boolean> {
    if (!branchName.test(this.ref)) return false;
    try {
      await this.#engine.getBranch(this.repository, this.ref);
      return true;
    } catch (error) {
      if (isSrvError(error, 'not_found', 'invalid')) return false;
      throw error;
    }
  }

  /** @throws DavError 403 unless the ref is a branch, 404 when it does not exist. */
  async demandBranch(): Promise<void> {
    if (await this.isBranch()) return;
    await this.demandRef();
    throw new DavError(403, `${this.ref} is not a branch: only branches can be changed`);
  }

  /** @throws DavError 404. */
  async demandRef(): Promise<void> {
    if (await this.isBranch()) return;
    await missing(`${this.repository.id} has no ref ${this.ref}`, () => this.#engine.getCommit(this.repository, this.ref));
  }

  /** A folder comes before an object of the same name. @throws DavError 404 when the ref does not exist. */
  async find(path: string): Promise<Resource | undefined> {
    if (path === '') {
      await this.demandRef();
      return { kind: 'folder', path };
    }
    const [folder, file] = await Promise.all([this.findFolder(path), this.findFile(path)]);
    return folder ?? file;
  }

  /** A folder exists when an object lies in it; its own marker is one. */
  async findFolder(path: string): Promise<Folder | undefined> {
    if (path === '') return { kind: 'folder', path };
    const prefix = `${path}/`;
    const { results } = await this.#list(prefix, '', '', 1);
    const [first] = results;
    if (!first) return undefined;
    return { kind: 'folder', path, marker: first.kind === 'object' && first.path === prefix ? first.entry : undefined };
  }

  async findFile(path: string): Promise<File | undefined> {
    const entry = await this.findEntry(path);
    if (entry) return fileOf(entry);
    if (!this.#scratch.takes(path)) return undefined;
    const scratch = await this.#scratch.find(this.scratchPlace(path));
    if (!scratch) return undefined;
    const { etag, contentType, lastModified, content } = scratch;
    return { kind: 'file', path, size: content.length, etag, contentType, lastModified, metadata: {}, source: { scratch } };
  }

  async findEntry(path: string): Promise<Entry | undefined> {
    try {
      return await this.#engine.getEntry(this.repository, this.ref, path);
    } catch (error) {
      if (isSrvError(error, 'not_found', 'invalid')) return undefined;
      throw error;
    }
  }

  scratchPlace(path: string) {
    return { repository: this.repository, branch: this.ref, user: this.#user, path };
  }

  /** Whether the folder that is to hold `path` exists. */
  async hasParent(path: string): Promise<boolean> {
    return (await this.findFolder(parentOf(path))) !== undefined;
  }

  /** What lies in a folder, in pages. What has no name that a file system can show is left out. */
  async *members(path: string): AsyncGenerator<readonly Resource[]> {
    const prefix = path === '' ? '' : `${path}/`;
    for await (const page of this.#pages(prefix, '/')) {
      const folders = new Set(page.flatMap(item => (item.kind === 'common_prefix' ? [item.path.slice(0, -1)] : [])));
      yield page.flatMap((item): Resource[] => {
        if (item.kind === 'common_prefix') {
          const folder = item.path.slice(0, -1);
          return isShown(folder, prefix) ? [{ kind: 'folder', path: folder }] : [];
        }
        return isShown(item.path, prefix) && !folders.has(item.path) ? [fileOf(item.entry)] : [];
      });
    }
  }

  /** All objects below a folder, markers included, in pages. */
  async *objectsBelow(path: string): AsyncGenerator<readonly Entry[]> {
    for await (const page of this.#pages(path === '' ? '' : `${path}/`, ''))
      yield page.flatMap(item => (item.kind === 'object' ? [item.entry] : []));
  }

  async *#pages(prefix: string, delimiter: string) {
    let after = '';
    for (let hasMore = true; hasMore; ) {
      const page = await this.#list(prefix, delimiter, after, pageSize);
      yield page.results;
      ({ hasMore, nextOffset: after } = page);
    }
  }

  #list(prefix: string, delimiter: string, after: string, amount: number) {
    return missing(`${this.repository.id} has no ref ${this.ref}`, () =>
      this.#engine.list(this.repository, this.ref, { prefix, after, amount, delimiter: delimiter === '' ? undefined : delimiter }),
    );
  }
}

/** An object `a` and a folder `a/` may come on two pages: then both are shown. */
function fileOf(entry: Entry): File {
  const { path, size, etag, contentType, lastModified, metadata } = entry;
  return { kind: 'file', path, size, etag, contentType, lastModified, metadata, source: { entry } };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that no URL here may have
const unnamable = /[\u0000-\u001f\u007f\ufffe\uffff]/;

/** Whether a URL can name what lies in a folder. @param prefix of the folder. */
function isShown(path: string, prefix: string): boolean {
  const name = path.slice(prefix.length);
  return name !== '' && nameOf(path) === name && name !== '.' && name !== '..' && !unnamable.test(name);
}

async function missing<T>(message: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isSrvError(error, 'not_found', 'invalid')) throw new DavError(404, message, { cause: error });
    throw error;
  }
}
