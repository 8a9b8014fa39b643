/**
 * What is remembered of an upload in parts, so that the same command can resume it: one file per destination and source
 * below `~/.cli/uploads`, first a line that says what is uploaded where, then a line per part that is stored. It holds no
 * pre-signed URL and no key.
 */

import { createHash } from 'node:crypto';
import { appendFile, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@srv/kernel';
import { replaceFile } from '@srv/lib-commands';
import { isOrphaned, owned, thisProcess } from './owner.js';
import type { Owner } from './owner.js';

/** From where to where; what an upload is found again by. */
export interface UploadRoute {
  /** URL of the API. */
  readonly server: string;
  readonly repository: string;
  readonly branch: string;
  readonly path: string;
  /** Absolute path of the file. */
  readonly file: string;
}

/** What was sent to and received from the server about the upload. */
export interface BegunUpload {
  readonly size: number;
  /** Of the file, Unix nanoseconds in decimal. */
  readonly mtime: string;
  /** Bytes; the last part may have fewer. */
  readonly partSize: number;
  readonly uploadId: string;
  readonly physicalAddress: string;
}

export interface SentPart {
  readonly part_number: number;
  readonly etag: string;
  /** What was sent. */
  readonly md5: string;
}

interface Heading extends BegunUpload {
  readonly version: typeof version;
  readonly route: UploadRoute;
  readonly owner: Owner;
  /** Unix milliseconds. */
  readonly begunAt: number;
}

/** Where the uploads of one person are remembered. */
export function uploadsFolder(home: string): string {
  return join(home, '.cli', 'uploads');
}

const version = 1;
/** Milliseconds; the server takes addresses it gave out for a day. */
const lifetime = 23 * 60 * 60 * 1000;

export class UploadRecord {
  readonly begun: BegunUpload;
  /** By an earlier process. */
  readonly parts: readonly SentPart[];
  readonly #file: string;
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: string, begun: BegunUpload, parts: readonly SentPart[]) {
    owned.add(file);
    this.#file = file;
    this.begun = begun;
    this.parts = parts;
  }

  /** @returns the interrupted upload of this route, now owned by this process; `undefined` if none can be resumed. */
  static async resume(folder: string, route: UploadRoute): Promise<UploadRecord | undefined> {
    const file = fileOf(folder, route);
    const found = parse(await readFile(file, 'utf8').catch(() => ''));
    if (found === undefined || !isOrphaned(file, found.heading.owner) || isStale(found.heading.begunAt)) return undefined;
    const { heading, parts } = found;
    const text = [{ ...heading, owner: thisProcess() }, ...parts].map(line).join('');
    await replaceFile(file, temporary => writeFile(temporary, text, { mode: 0o600 }));
    return new UploadRecord(file, heading, parts);
  }

  /** @returns `undefined` when the same file is being uploaded to the same place already. */
  static async begin(folder: string, route: UploadRoute, begun: BegunUpload): Promise<UploadRecord | undefined> {
    await makeFolder(folder, 0o700);
    await removeStale(folder);
    const file = fileOf(folder, route);
    const found = parse(await readFile(file, 'utf8').catch(() => ''));
    if (found && !isOrphaned(file, found.heading.owner)) return undefined;
    const heading: Heading = { version, route, owner: thisProcess(), begunAt: Date.now(), ...begun };
    await replaceFile(file, temporary => writeFile(temporary, line(heading), { mode: 0o600 }));
    return new UploadRecord(file, begun, []);
  }

  /** Notes that a part is stored. */
  add(part: SentPart): Promise<void> {
    this.#writing = this.#writing.then(() => appendFile(this.#file, line(part)));
    return this.#writing;
  }

  /** Releases it for the process that resumes the upload. */
  async release(): Promise<void> {
    await this.#writing.catch(() => undefined);
    owned.delete(this.#file);
  }

  /** Forgets the upload. */
  async remove(): Promise<void> {
    await this.release();
    await rm(this.#file, { force: true });
  }
}

/** File names that do not reveal the upload. */
function fileOf(folder: string, { server, repository, branch, path, file }: UploadRoute): string {
  const name = createHash('sha256').update(JSON.stringify([server, repository, branch, path, file]));
  return join(folder, `${name.digest('hex').slice(0, 32)}.jsonl`);
}

function isStale(begunAt: number): boolean {
  return Date.now() - begunAt > lifetime;
}

async function removeStale(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    // Nothing was added for so long that it was begun at least as long ago.
    const facts = await stat(file).catch(() => undefined);
    if (facts && isStale(facts.mtimeMs)) await rm(file, { force: true });
  }
}

function line(value: Heading | SentPart): string {
  return `${JSON.stringify(value)}\n`;
}

/** What a process that was killed while it wrote has left is taken as far as it is whole. */
function parse(text: string): { readonly heading: Heading; readonly parts: readonly SentPart[] } | undefined {
  const lines = text.split('\n').slice(0, -1);
  const values: unknown[] = [];
  try {
    for (const each of lines) values.push(JSON.parse(each));
  } catch {
    // A line that was torn; what follows belongs to no part of ours.
  }
  const [heading, ...parts] = values;
  if (!isHeading(heading)) return undefined;
  return { heading, parts: parts.filter(isSentPart) };
}

function isHeading(value: unknown): value is Heading {
  return typeof value === 'object' && value !== null && 'version' in value && value.version === version;
}

function isSentPart(value: unknown): value is SentPart {
  return typeof value === 'object' && value !== null && 'part_number' in value && 'etag' in value && 'md5' in value;
}
