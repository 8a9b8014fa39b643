/**
 * Files that file managers and office programs write for themselves, such as `._name`: kept outside of the branch, for the
 * user who wrote them and for an hour. Each user has a fixed number of places per repository; a file takes the one that its
 * path hashes to, and replaces what was there.
 */
import { createHash } from 'node:crypto';
import { SrvError } from '@srv/kernel';
import { Records, partitionOf, recordsBelow, workThrough } from '@srv/lib-records';
import { parseGlob, wildcardSyntax } from '@srv/lib-records/glob';
import { DavError } from './errors.js';
import { nameOf } from './target.js';
import type { Repository } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';

const prefix = 'webdav-scratch';
/** @bound files of a user outside of the branch */
const places = 512;
/** Bytes of one file: a record has to fit into every kind of database. */
export const maxScratchBytes = 128 * 1024;
/** Milliseconds. */
const lifetime = 3_600_000;

export interface ScratchFile {
  readonly content: Buffer;
  readonly contentType: string;
  readonly etag: string;
  readonly lastModified: Date;
}

interface ScratchRecord {
  /** `<branch>/<path>`; another one means that the place was taken. */
  readonly owner: string;
  readonly contentType: string;
  /** Milliseconds since 1970. */
  readonly written: number;
  readonly content: Buffer;
}

/** Where a file is. */
export interface ScratchPlace {
  readonly repository: Repository;
  readonly branch: string;
  readonly user: string;
  readonly path: string;
}

export class Scratch {
  readonly #kv: KvStore;
  readonly #records: Records<ScratchRecord>;
  readonly #now: () => number;
  readonly #isIgnored: (name: string) => boolean;

  /** @param ignore patterns of names, with `*` and `?`. */
  constructor(kv: KvStore, ignore: readonly string[], now: () => number = Date.now) {
    this.#kv = kv;
    const patterns = ignore.map(pattern => parseGlob(pattern, wildcardSyntax));
    this.#isIgnored = name => patterns.some(pattern => pattern.matches(name));
    this.#records = new Records<ScratchRecord>(kv, { prefix, what: 'file', encode, decode });
    this.#now = now;
  }

  /** Whether files of that name are kept here. */
  takes(path: string): boolean {
    return this.#isIgnored(nameOf(path));
  }

  async find(place: ScratchPlace): Promise<ScratchFile | undefined> {
    const found = await this.#records.find(partitionOf(place.repository), idOf(place));
    if (!found) return undefined;
    const { owner, written, content, contentType } = found.value;
    if (owner !== ownerOf(place) || this.#isOver(found.value)) return undefined;
    return { content, contentType, etag: createHash('md5').update(content).digest('hex'), lastModified: new Date(written) };
  }

  /** @throws DavError 507 for one that is too large. */
  async put(place: ScratchPlace, { content, contentType }: Pick<ScratchFile, 'content' | 'contentType'>): Promise<void> {
    if (content.length > maxScratchBytes) throw tooLarge(place.path);
    const record = { owner: ownerOf(place), contentType, content, written: this.#now() };
    await this.#records.set(partitionOf(place.repository), idOf(place), record);
  }

  async remove(place: ScratchPlace): Promise<void> {
    if (await this.find(place)) await this.#records.remove(partitionOf(place.repository), idOf(place));
  }

  /** Removes what is older than an hour, of all users. @throws the first failure, after the other files were removed. */
  async clean(repository: Repository): Promise<void> {
    const partition = partitionOf(repository);
    await workThrough(recordsBelow(this.#kv, partition, `${prefix}/`), async ({ name, value }) => {
      if (!this.#isOver(decode(value))) return;
      // Again: a new file may have taken the place since the page was read.
      const current = await this.#records.find(partition, name);
      if (current && this.#isOver(current.value)) await this.#records.remove(partition, name);
    });
  }

  #isOver({ written }: ScratchRecord): boolean {
    return written + lifetime <= this.#now();
  }
}

function tooLarge(path: string): DavError {
  return new DavError(
    507,
    `${nameOf(path)} has more than ${maxScratchBytes} bytes: files of this name (webdav.ignore) are kept outside of the branch, and must be small`,
  );
}

const ownerOf = ({ branch, path }: ScratchPlace): string => `${branch}/${path}`;

function idOf(place: ScratchPlace): string {
  const number = createHash('sha256').update(ownerOf(place)).digest().readUInt32BE(0) % places;
  return `${place.user}/${number}`;
}

function encode({ content, ...facts }: ScratchRecord): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(facts)}\n`, 'utf8'), content]);
}

/** @throws SrvError `corrupt`. */
function decode(bytes: Buffer): ScratchRecord {
  const end = bytes.indexOf('\n');
  try {
    const { owner, contentType, written } = JSON.parse(bytes.toString('utf8', 0, end)) as Partial<Record<string, unknown>>;
    if (typeof owner === 'string' && typeof contentType === 'string' && typeof written === 'number')
      return { owner, contentType, written, content: bytes.subarray(end + 1) };
  } catch (error) {
    throw new SrvError('corrupt', 'a temporary file of WebDAV cannot be read', { cause: error });
  }
  throw new SrvError('corrupt', 'a temporary file of WebDAV lacks a member');
}
