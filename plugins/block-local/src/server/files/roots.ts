/**
 * Which files an address may mean. Two fences: names are judged as text before anything is touched, and real paths after
 * symbolic links are followed.
 */
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, posix } from 'node:path';
import { SrvError } from '@srv/kernel';
import { identifierType, locate, splitScheme } from '@srv/lib-stores/block';
import { missing } from './error-codes.js';
import { unless } from './file-errors.js';
import { escapedPath, isPlain } from './file-name.js';
import type { ObjectPointer } from '@srv/lib-stores/block';

export const scheme = 'local';

/** An object's files: the plain one, else the escaped one. */
export interface LocalObject {
  readonly address: string;
  /** Path of a plain name below the base folder, or of an external file. */
  readonly plain: string | undefined;
  /** Object name, relative to the base folder; external files have none. */
  readonly name: string | undefined;
}

export interface Root {
  readonly path: string;
  /** With symbolic links followed. */
  readonly real: string;
}

/** Whether `path` is `folder` or lies below it; `/data2` does not lie below `/data`. */
function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** Bytes of the longest path Linux accepts. */
const maxPathBytes = 4095;

/** Milliseconds for which a folder's real path is trusted. */
const realFolderLife = 1000;
/** @bound folders whose real path is remembered */
const maxRealFolders = 1000;

const isBelow = (path: string, folder: string): boolean => path !== folder && isWithin(path, folder);

function badPath(what: string): SrvError {
  return new SrvError('invalid', `${what}: bad path traversal blocked; it must stay below its folder`);
}

export class Roots {
  readonly base: Root;
  readonly externals: readonly Root[];
  readonly #realFolders = new Map<string, { readonly real: string; readonly until: number }>();
  #lastFolder: { readonly namespace: string; readonly folder: string } | undefined;

  constructor(base: Root, externals: readonly Root[]) {
    this.base = base;
    this.externals = externals;
  }

  /**
   * Where an object lies.
   * @throws SrvError `invalid` for a foreign scheme or a path that leaves its folder, `forbidden` for a path outside the
   * base folder and the allowed prefixes.
   */
  find(pointer: ObjectPointer): LocalObject {
    if (pointer.identifier === '') throw new SrvError('invalid', `${pointer.namespace}: missing object key`);
    const address = this.address(pointer);
    return this.#at(address, address.slice(`${scheme}://`.length));
  }

  /** Full URI of an object, without asking whether it may be touched. @throws SrvError `invalid` as {@link find}. */
  address(pointer: ObjectPointer): string {
    const isFull = pointer.identifierType !== identifierType.relative && splitScheme(pointer.identifier)?.scheme === scheme;
    const { namespace, key } = locate(pointer, [scheme]);
    if (isFull) return pointer.identifier;
    const folder = this.#folderOf(namespace, pointer);
    // Nothing but `..` leads up; listings resolve thousands of addresses.
    const staysBelow = !key.includes('..') || isWithin(posix.normalize(`${folder}/${key}`).replace(/\/$/, ''), folder);
    if (!staysBelow) throw badPath(`${pointer.namespace} ${key}`);
    return `${scheme}://${this.base.path}/${folder}/${key}`;
  }

  #folderOf(namespace: string, pointer: ObjectPointer): string {
    if (this.#lastFolder?.namespace === namespace) return this.#lastFolder.folder;
    const folder = posix.normalize(`./${namespace}`).replace(/\/$/, '');
    if (folder === '.' || folder === '..' || folder.startsWith('../')) throw badPath(pointer.namespace);
    this.#lastFolder = { namespace, folder };
    return folder;
  }

  /** The part of an absolute path below the base folder; `undefined` when it lies elsewhere. @throws SrvError `invalid` */
  nameOf(path: string): string | undefined {
    if (!isBelow(path, this.base.path)) return undefined;
    if (!isBelow(posix.normalize(path), this.base.path)) throw badPath(path);
    return path.slice(this.base.path.length + 1);
  }

  /** The allowed prefix that holds a path. @throws SrvError `invalid` when it is not absolute and clean, `forbidden` when none does. */
  externalOf(path: string): Root {
    if (!isAbsolute(path) || posix.normalize(path) !== path || path.includes('\0')) throw badPath(path);
    const root = this.externals.find(external => isWithin(path, external.path));
    if (root) return root;
    throw new SrvError(
      'forbidden',
      `${path}: forbidden; it lies neither below ${this.base.path} nor below one of blockstore.local.allowed_external_prefixes`,
    );
  }

  #at(address: string, path: string): LocalObject {
    const name = this.nameOf(path);
    if (name === undefined) {
      this.externalOf(path);
      return { address, plain: path, name: undefined };
    }
    return { address, plain: isPlain(name) ? path : undefined, name };
  }

  /** Where an object of the base folder lies when it cannot lie at its plain place. */
  escaped(name: string): string {
    return join(this.base.path, escapedPath(name));
  }

  /** The real path of a file to be read. @throws SrvError `forbidden` when a symbolic link leads out of every root. */
  async realFile(path: string): Promise<string> {
    const real = await realpath(path);
    if (![this.base, ...this.externals].some(root => isWithin(real, root.real))) throw leadsOutside(path);
    return real;
  }

  /**
   * Passes for a file to which a new object may refer, whether it exists or not.
   * @throws SrvError `invalid` and `forbidden` as {@link find}; `invalid` for a path longer than any file's; `forbidden` when
   * a symbolic link leads out of every root, and as {@link checkAlias}.
   */
  async checkReadable(pointer: ObjectPointer): Promise<void> {
    const { address, plain, name } = this.find(pointer);
    if (plain === undefined) return;
    const bytes = Buffer.byteLength(plain);
    if (bytes > maxPathBytes)
      throw new SrvError(
        'invalid',
        `${address.slice(0, 100)}…: the path of ${bytes} bytes is too long for the file system; at most ${maxPathBytes} are allowed`,
      );
    const real = await this.#realPlace(plain, name === undefined ? this.externalOf(plain) : this.base);
    if (name === undefined) this.checkAlias(plain, real);
  }

  /** {@link realFile} of a path below a root, with symbolic links followed as far as there is something. */
  async #realPlace(path: string, root: Root): Promise<string> {
    if (path === root.path) return root.real;
    return (await unless(this.realFile(path), ...missing)) ?? join(await this.#realPlace(dirname(path), root), basename(path));
  }

  /**
   * Refuses a second address for a file of the base folder: new objects refer to it by one address, so that comparing
   * addresses shows whose it is. Objects that already have another one can still be read.
   * @param real with symbolic links followed, as far as that is known. @throws SrvError `forbidden`
   */
  checkAlias(path: string, real: string): void {
    if (isWithin(path, this.base.path) || !isWithin(real, this.base.real)) return;
    const own = posix.join(this.base.path, posix.relative(this.base.real, real));
    throw new SrvError('forbidden', `${path}: forbidden; it leads into the folder of the block store; use ${scheme}://${own}`);
  }

  /**
   * {@link checkAlias} for all files of an external folder.
   * @param real its real path. @throws SrvError `forbidden` also when it contains the base folder under another path.
   */
  checkAliases(path: string, real: string): void {
    const { base } = this;
    this.checkAlias(path, real);
    if (!isWithin(base.real, real) || posix.join(path, posix.relative(real, base.real)) === base.path) return;
    throw new SrvError(
      'forbidden',
      `${path}: forbidden; it contains the folder of the block store ${base.real}, whose address is ${scheme}://${base.path}; name a narrower folder`,
    );
  }

  /** {@link realFile} of a folder, asked again after a second. */
  async realFolder(folder: string): Promise<string> {
    const known = this.knownFolder(folder);
    if (known !== undefined) return known;
    const real = await this.realFile(folder);
    if (this.#realFolders.size >= maxRealFolders) this.#realFolders.clear();
    this.#realFolders.set(folder, { real, until: Date.now() + realFolderLife });
    return real;
  }

  /** The real path of a folder that was asked for within the last second. */
  knownFolder(folder: string): string | undefined {
    const known = this.#realFolders.get(folder);
    return known && known.until > Date.now() ? known.real : undefined;
  }

  /** The real path of something to be made or removed: its folder must lie below the base folder. @throws SrvError `forbidden` */
  async realTarget(path: string): Promise<string> {
    const folder = await this.realFolder(dirname(path));
    if (!isWithin(folder, this.base.real)) throw leadsOutside(path);
    return join(folder, basename(path));
  }
}

function leadsOutside(path: string): SrvError {
  return new SrvError('forbidden', `${path}: forbidden; a symbolic link leads out of the folders this store may use`);
}
