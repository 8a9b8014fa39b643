/**
 * Multipart uploads: `<base>/.srv-uploads/<upload>/` holds `upload.json` (the address it will become) and the parts, most of
 * them in the draft of the object ({@link Drafts}), others in files named by number in five digits, which count if there are
 * both. They survive a restart; an upload ends when it is completed or aborted.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SrvError } from '@srv/kernel';
import { matchPart, multipartEtag, orderParts, pageOfParts, streamLength, unknownUpload } from '@srv/lib-stores/block';
import { Drafts, draftNumber, partName } from './drafts.js';
import { missing } from './files/error-codes.js';
import { unless, writing } from './files/file-errors.js';
import { uploadFolder } from './files/file-name.js';
import { joinFiles } from './files/joined-file.js';
import { writable } from './files/object-files.js';
import { lastModifiedOf, writeTemporary } from './files/written-file.js';
import type { Readable } from 'node:stream';
import type {
  ByteRange,
  CompletedUpload,
  ListedPart,
  OpenUpload,
  PartList,
  PartPage,
  PutOptions,
  UploadDriver,
  UploadedPart,
} from '@srv/lib-stores/block';
import type { DraftPart } from './drafts.js';
import type { DurableFolders } from './files/durable-folders.js';
import type { Etags } from './files/etags.js';
import type { FileSource } from './files/joined-file.js';
import type { ObjectFiles } from './files/object-files.js';
import type { LocalObject } from './files/roots.js';
import type { Drafting } from './files/temporary.js';
import type { SyncedFile, WrittenFile } from './files/written-file.js';
import type { ObjectReader } from './read.js';
import type { FileState } from './small-files/small-write-messages.js';

/** A part, with its file as it was when it was looked at, or with its place in the draft. */
interface FoundPart extends ListedPart {
  readonly own?: { readonly path: string; readonly state: FileState };
  readonly draft?: DraftPart;
}

const recordName = 'upload.json';

interface UploadOptions {
  /** Folder of the store. */
  readonly base: string;
  /** Folder for what is not yet, or no longer, an upload. */
  readonly temporary: Drafting;
  readonly folders: DurableFolders;
  readonly etags: Etags;
  readonly objects: ObjectFiles;
  readonly reader: ObjectReader;
}

export class Uploads implements UploadDriver<LocalObject> {
  readonly #options: UploadOptions;
  readonly #folder: string;
  readonly #temporary: Drafting;
  readonly #folders: DurableFolders;
  readonly #etags: Etags;
  readonly #drafts: Drafts;

  constructor(options: UploadOptions) {
    this.#options = options;
    this.#folder = join(options.base, uploadFolder);
    this.#temporary = options.temporary;
    this.#folders = options.folders;
    this.#etags = options.etags;
    this.#drafts = new Drafts({ folder: this.#folder, temporary: options.temporary, folders: options.folders });
  }

  begin(place: LocalObject): Promise<string> {
    const { address } = writable(place);
    return writing(address, async () => {
      const id = randomBytes(16).toString('hex');
      const draft = join(this.#temporary.path, id);
      await mkdir(draft, 0o700);
      await writeFile(join(draft, recordName), JSON.stringify({ address }), { flush: this.#temporary.syncs });
      await this.#drafts.begin(draft);
      await this.#folders.place(draft, join(this.#folder, id));
      return id;
    });
  }

  async part(place: LocalObject, id: string, partNumber: number, body: Readable | Buffer, options: PutOptions): Promise<{ etag: string }> {
    const { etag } = await this.#write(place, id, partNumber, body, options);
    return { etag };
  }

  async copyPart(
    source: LocalObject,
    place: LocalObject,
    id: string,
    partNumber: number,
    range: ByteRange | undefined,
  ): Promise<{ etag: string; lastModified: Date }> {
    await this.#check(id, writable(place).address);
    const body = await this.#options.reader.read(source, range ? { range } : {});
    try {
      const size = streamLength(body);
      return await this.#write(place, id, partNumber, body, size === undefined ? {} : { size });
    } finally {
      body.destroy();
    }
  }

  async complete(place: LocalObject, id: string, listed: readonly UploadedPart[]): Promise<CompletedUpload> {
    const own = writable(place);
    await this.#check(id, own.address);
    const parts = await this.#match(id, own.address, listed);
    return writing(own.address, async () => {
      const size = parts.reduce((sum, part) => sum + part.size, 0);
      const file = (await this.#finished(id, parts)) ?? (await joinFiles(this.#temporary, this.#files(id, own.address, parts), size));
      await this.#options.objects.place(file, own);
      await this.#remove(id);
      return { etag: multipartEtag(parts.map(part => part.etag)), size, lastModified: lastModifiedOf(file.state) };
    });
  }

  async abort(place: LocalObject, id: string): Promise<void> {
    await this.#check(id, writable(place).address);
    await this.#remove(id);
  }

  async #write(
    place: LocalObject,
    id: string,
    partNumber: number,
    body: Readable | Buffer,
    options: PutOptions,
  ): Promise<{ etag: string; lastModified: Date }> {
    const { address } = writable(place);
    await this.#check(id, address);
    return writing(address, async () => {
      const written = await this.#drafts.write(id, address, partNumber, body, options);
      if (written) return written;
      const file = await writeTemporary(this.#temporary, body, options);
      await this.#add(id, address, partNumber, file);
      return { etag: file.md5, lastModified: lastModifiedOf(file.state) };
    });
  }

  /** The draft, if it is the object. */
  async #finished(id: string, parts: readonly FoundPart[]): Promise<SyncedFile | undefined> {
    const drafts = parts.flatMap(({ draft }) => draft ?? []);
    return drafts.length === parts.length ? this.#drafts.finished(id, drafts) : undefined;
  }

  /** @throws SrvError `not_found` unless `id` is an upload that will become `address`. */
  async #check(id: string, address: string): Promise<void> {
    const known = /^[0-9a-f]{32}$/.test(id);
    const record = known ? await unless(readFile(join(this.#folder, id, recordName), 'utf8'), ...missing) : undefined;
    if (record === undefined || (JSON.parse(record) as { address?: string }).address !== address) throw unknownUpload(id, address);
  }

  /** Adds or replaces a part. @throws SrvError `not_found` when the upload ended meanwhile. */
  async #add(id: string, address: string, partNumber: number, { path, md5, state }: WrittenFile): Promise<void> {
    const renamed = rename(path, this.#partPath(id, partNumber)).then(() => this.#folders.sync(join(this.#folder, id)).then(() => true));
    if (!(await unless(renamed, ...missing))) {
      await rm(path, { force: true });
      throw unknownUpload(id, address);
    }
    this.#etags.remember(state, md5);
  }

  #partPath(id: string, partNumber: number): string {
    return join(this.#folder, id, partName(partNumber));
  }

  /** A page of the parts in ascending number. @throws SrvError `not_found` when the upload ended meanwhile. */
  async list(place: LocalObject, id: string, page: PartPage): Promise<PartList> {
    const { address } = writable(place);
    await this.#check(id, address);
    const all = await unless(readdir(join(this.#folder, id)), ...missing);
    if (!all) throw unknownUpload(id, address);
    const found = new Set(all.flatMap(name => (/^\d{5}$/.test(name) ? Number(name) : (draftNumber(name) ?? []))));
    const { parts: numbers, ...rest } = pageOfParts(
      [...found].map(partNumber => ({ partNumber })),
      page,
    );
    const parts: ListedPart[] = [];
    for (const { partNumber } of numbers) {
      const found = await unless(this.#part(id, partNumber), ...missing);
      if (!found) throw unknownUpload(id, address);
      const { own: _, draft: __, ...part } = found;
      parts.push(part);
    }
    return { parts, ...rest };
  }

  /**
   * The listed parts in ascending number, each as it lies here.
   * @throws SrvError `invalid` when the list is empty, names a number twice, a part never sent, or another etag.
   */
  async #match(id: string, address: string, listed: readonly UploadedPart[]): Promise<FoundPart[]> {
    const parts: FoundPart[] = [];
    for (const part of orderParts(address, listed)) {
      parts.push(matchPart(address, part, await unless(this.#part(id, part.partNumber), ...missing)));
    }
    return parts;
  }

  /**
   * The open files of parts that {@link #match} found; the caller closes them.
   * @throws SrvError `invalid` when one was sent again since, `not_found` when the upload ended meanwhile.
   */
  async *#files(id: string, address: string, parts: readonly FoundPart[]): AsyncGenerator<FileSource> {
    for (const { own, draft, partNumber } of parts) {
      const path = own?.path ?? (await this.#drafts.source(id));
      const file = path === undefined ? undefined : await unless(open(path, 'r'), ...missing);
      if (!file) throw unknownUpload(id, address);
      if (own && !isSameFile(own.state, await file.stat({ bigint: true }))) {
        await file.close();
        throw new SrvError('invalid', `${address}: part ${partNumber} was sent again while the upload was completed; list the parts again`);
      }
      yield draft ? { file, start: draft.start, length: draft.size } : { file, start: 0, length: Number(own?.state.size ?? 0) };
    }
  }

  /** Uploads of objects whose address begins with `prefix`, a page for each. */
  async *open(prefix: string): AsyncGenerator<readonly OpenUpload[]> {
    for (const id of (await unless(readdir(this.#folder), ...missing)) ?? []) {
      const record = join(this.#folder, id, recordName);
      const [text, stats] = [await unless(readFile(record, 'utf8'), ...missing), await unless(stat(record), ...missing)];
      if (text === undefined || !stats) continue;
      const { address = '' } = JSON.parse(text) as { address?: string };
      if (address.startsWith(prefix)) yield [{ address, uploadId: id, startedAt: stats.mtime }];
    }
  }

  /** Forgets an upload at once; its files follow. */
  async #remove(id: string): Promise<void> {
    const discarded = join(this.#temporary.path, id);
    const moved = await unless(
      rename(join(this.#folder, id), discarded).then(() => true),
      ...missing,
    );
    if (!moved) return;
    await this.#folders.sync(this.#folder);
    await rm(discarded, { recursive: true, force: true });
  }

  /** A part that was sent again has a file of its own. */
  async #part(id: string, partNumber: number): Promise<FoundPart | undefined> {
    const path = this.#partPath(id, partNumber);
    const stats = await unless(stat(path, { bigint: true }), ...missing);
    if (!stats) {
      const draft = await this.#drafts.part(id, partNumber);
      return draft && { partNumber, etag: draft.etag, size: draft.size, lastModified: draft.lastModified, draft };
    }
    const etag = await this.#etags.of(path, stats);
    return { partNumber, etag, size: Number(stats.size), lastModified: stats.mtime, own: { path, state: stats } };
  }
}

function isSameFile(a: FileState, b: FileState): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}
