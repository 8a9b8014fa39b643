/**
 * What is remembered of an upload in parts, so that the same command can resume it: one file per destination and source
 * below `~/.cli/uploads`, first a line that says what is uploaded where, then a line per part that is stored. It holds no
 * pre-signed URL and no key. It only saves time: uploads work where it cannot be written.
 */

import { createHash } from 'node:crypto';
import { appendFile, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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
  #unnoted = 0;
  /** What a failed write may have left half of a line after. */
  #separator = '';

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
    return (await isWritten(file, text)) ? new UploadRecord(file, heading, parts) : undefined;
  }

  /** @returns `undefined` when the same file is being uploaded to the same place already, or the record cannot be written. */
  static async begin(folder: string, route: UploadRoute, begun: BegunUpload): Promise<UploadRecord | undefined> {
    await removeStale(folder);
    const file = fileOf(folder, route);
    const found = parse(await readFile(file, 'utf8').catch(() => ''));
    if (found && !isOrphaned(file, found.heading.owner)) return undefined;
    const heading: Heading = { version, route, owner: thisProcess(), begunAt: Date.now(), ...begun };
    return (await isWritten(file, line(heading))) ? new UploadRecord(file, begun, []) : undefined;
  }

  /** Parts of this process that could not be noted: the process that resumes the upload sends them again. */
  get unnoted(): number {
    return this.#unnoted;
  }

  /** Notes that a part is stored, if it can. */
  add(part: SentPart): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      try {
        await appendFile(this.#file, this.#separator + line(part));
        this.#separator = '';
      } catch {
        this.#unnoted++;
        this.#separator = '\n';
      }
    });
    return this.#writing;
  }

  /** Releases it for the process that resumes the upload. */
  async release(): Promise<void> {
    await this.#writing;
    owned.delete(this.#file);
  }

  /** Forgets the upload. A record that stays does no harm: the server no longer knows its upload. */
  async remove(): Promise<void> {
    await this.release();
    await rm(this.#file, { force: true }).catch(() => undefined);
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

/** Replaces the record at `file`. @returns false when it cannot be written. */
async function isWritten(file: string, text: string): Promise<boolean> {
  try {
    await makeFolder(dirname(file), 0o700);
    await replaceFile(file, temporary => writeFile(temporary, text, { mode: 0o600 }));
    return true;
  } catch {
    return false;
  }
}

async function removeStale(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const file = join(folder, name);
    // Nothing was added for so long that it was begun at least as long ago.
    const facts = await stat(file).catch(() => undefined);
    if (facts && isStale(facts.mtimeMs)) await rm(file, { force: true }).catch(() => undefined);
  }
}

function line(value: Heading | SentPart): string {
  return `${JSON.stringify(value)}\n`;
}

/** Lines that are not whole are left out: a process was killed while it wrote one, or the disk was full. */
function parse(text: string): { readonly heading: Heading; readonly parts: readonly SentPart[] } | undefined {
  const [heading, ...parts] = text.split('\n').slice(0, -1).map(parsedLine);
  if (!isHeading(heading)) return undefined;
  return { heading, parts: parts.filter(isSentPart) };
}

function parsedLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isHeading(value: unknown): value is Heading {
  return typeof value === 'object' && value !== null && 'version' in value && value.version === version;
}

function isSentPart(value: unknown): value is SentPart {
  return typeof value === 'object' && value !== null && 'part_number' in value && 'etag' in value && 'md5' in value;
}
