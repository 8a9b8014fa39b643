/** What a commit changes: the last line about a path counts. */
import { setImmediate } from 'node:timers/promises';
import { encodeEntry } from '@srv/engine/objects/entry';
import { encodeValue } from '@srv/engine/tables/format';
import { may, objectArn } from '@srv/lib-api';
import { isWellFormed } from '@srv/lib-records';
import { identifierType } from '@srv/lib-stores/block';
import { isRecord, textMember } from '../body.js';
import { findByHash } from '../by-hash.js';
import { entryAt } from '../entry-at.js';
import { HubError, entryNotFound } from '../errors.js';
import { blobKey, isFile, sha256Key } from '../files.js';
import { findRevision } from '../revision.js';
import { smallBytes } from './content.js';
import type { Change, Commit, Entry, Repository } from '@srv/engine/contract';
import type { RepoContext } from '../context.js';
import type { StoredContent } from './content.js';
import type { CommitLine } from './lines.js';

/** Paths that one commit may change. */
const maxChanges = 100_000;
const pageSize = 1000;

interface NewEntry extends Pick<Entry, 'address' | 'addressType' | 'size' | 'etag' | 'metadata' | 'contentType' | 'lastModified'> {
  /** Of a copy from another revision: its bytes may be gone. */
  readonly mayBeGone?: boolean;
}

interface Base {
  readonly repository: Repository;
  /** The head that the commit is made on. */
  readonly head: Commit;
}

export class CommitChanges {
  readonly #context: RepoContext;
  readonly #base: Base;
  /** Absent entry: the path is removed. */
  readonly #changes = new Map<string, NewEntry | undefined>();
  /** Paths whose content is that of a file of the head with this SHA-256; {@link settle} finds it. */
  readonly #byHash = new Map<string, string>();
  #message: string | undefined;

  constructor(context: RepoContext, base: Base) {
    this.#context = context;
    this.#base = base;
  }

  get message(): string {
    return this.#message || 'Upload files';
  }

  /** To be called after the last line. @throws HubError 400 for a content that was neither uploaded nor lies in the head. */
  async settle(): Promise<void> {
    if (this.#byHash.size === 0) return;
    const { repository, head } = this.#base;
    const found = await findByHash(this.#context, { repository, commit: head }, new Set(this.#byHash.values()));
    for (const [path, oid] of this.#byHash) {
      const entry = found.get(oid);
      if (!entry) throw new HubError(400, `the content of ${path}, ${oid}, was not uploaded: upload it again`);
      this.#changes.set(path, { ...entry, lastModified: new Date() });
    }
  }

  /** Copies from another revision than the head, by path. */
  get oldContents(): readonly (NewEntry & { readonly path: string })[] {
    return [...this.#changes].flatMap(([path, entry]) => (entry?.mayBeGone ? [{ ...entry, path }] : []));
  }

  /** Addresses that the commit refers to. */
  get addresses(): readonly string[] {
    return [...this.#changes.values()].flatMap(entry => (entry ? [entry.address] : []));
  }

  /** @throws HubError 400, 404, 412; SrvError `denied`. */
  async add({ value: line, content }: CommitLine): Promise<void> {
    const { key, value } = line;
    if (!isRecord(value)) throw new HubError(400, 'a line of the commit has no value');
    if (key === 'header') return this.#header(value);
    const path = checkedPath(textMember(value, 'path'), key === 'deletedFolder');
    if (key === 'file') return this.#file(path, value, content);
    if (key === 'deletedFile') return this.#removeFile(path);
    if (key === 'deletedFolder') return this.#removeFolder(path);
    if (key === 'copyFile') return this.#copy(path, value);
    if (key === 'lfsFile') return this.#lfsFile(path, value);
    throw new HubError(400, `a line of the commit has the key ${JSON.stringify(key).slice(0, 100)}, which is not known`);
  }

  #header(value: Readonly<Record<string, unknown>>): void {
    if (this.#message !== undefined) throw new HubError(400, 'the commit has two headers');
    const [summary = '', description = ''] = ['summary', 'description'].map(name => textMember(value, name));
    this.#message = description === '' ? summary : `${summary}\n\n${description}`;
    const parent = textMember(value, 'parentCommit');
    if (parent === undefined) return;
    if (!/^[0-9a-fA-F]{5,64}$/.test(parent)) throw new HubError(400, `parentCommit is ${parent}, not 5 to 64 hexadecimal digits`);
    if (!this.#base.head.id.startsWith(parent.toLowerCase()))
      throw new HubError(412, 'A commit has happened since. Please refresh and try again.');
  }

  async #file(path: string, value: Readonly<Record<string, unknown>>, content: StoredContent | undefined): Promise<void> {
    if (!content || textMember(value, 'encoding') !== 'base64') throw new HubError(400, `${path} has no content in base64`);
    await this.#demand('fs:WriteObject', path);
    const { address, size, etag, sha256, blob, lastModified } = content;
    const metadata = {
      ...(size > smallBytes ? { [sha256Key]: sha256 } : {}),
      ...(blob === undefined ? {} : { [blobKey]: blob }),
    };
    this.#set(path, {
      address,
      addressType: identifierType.relative,
      size,
      etag,
      metadata,
      contentType: 'application/octet-stream',
      lastModified,
    });
  }

  /** A content that the caller has uploaded, or one of the head that they may read: clients copy files so. */
  async #lfsFile(path: string, value: Readonly<Record<string, unknown>>): Promise<void> {
    const { uploads, face } = this.#context;
    const oid = textMember(value, 'oid') ?? '';
    if (!/^[0-9a-f]{64}$/.test(oid)) throw new HubError(400, `${path} has no SHA-256`);
    await this.#demand('fs:WriteObject', path);
    const { repository } = this.#base;
    const upload = await uploads.find({ repository, user: face.user.username, oid });
    if (!upload) return this.#awaitHash(path, oid);
    const { address, size, etag, uploaded } = upload;
    const facts = { metadata: { [sha256Key]: oid }, contentType: 'application/octet-stream', lastModified: new Date(uploaded) };
    this.#set(path, { address, addressType: identifierType.relative, size, etag, ...facts, mayBeGone: true });
  }

  #awaitHash(path: string, oid: string): void {
    this.#set(path, undefined);
    this.#byHash.set(path, oid);
  }

  /** @throws HubError 404 for a file that does not exist: such a commit would change nothing. */
  async #removeFile(path: string): Promise<void> {
    await this.#demand('fs:DeleteObject', path);
    const { repository, head } = this.#base;
    const isThere = this.#changes.has(path)
      ? (this.#changes.get(path) ?? this.#byHash.has(path))
      : await entryAt(this.#context.engine, repository, head.id, path);
    if (!isThere) throw entryNotFound(path);
    this.#set(path, undefined);
  }

  async #remove(path: string): Promise<void> {
    await this.#demand('fs:DeleteObject', path);
    this.#set(path, undefined);
  }

  async #removeFolder(path: string): Promise<void> {
    const { engine, face, repo } = this.#context;
    const { repository, head } = this.#base;
    const prefix = `${path}/`;
    await face.demand(may('fs:ListObjects', `arn:lakefs:fs:::repository/${repo.repository}`));
    let count = 0;
    for (const known of this.#changes.keys()) {
      if (!known.startsWith(prefix)) continue;
      await this.#remove(known);
      count++;
    }
    for (let after = '', hasMore = true; hasMore; ) {
      const page = await engine.list(repository, head.id, { prefix, after, amount: pageSize });
      for (const item of page.results) await this.#remove(item.path);
      count += page.results.length;
      ({ hasMore, nextOffset: after } = page);
      await setImmediate();
    }
    if (count === 0) throw entryNotFound(path);
  }

  async #copy(path: string, value: Readonly<Record<string, unknown>>): Promise<void> {
    const { engine } = this.#context;
    const source = checkedPath(textMember(value, 'srcPath'), false);
    await this.#demand('fs:ReadObject', source);
    await this.#demand('fs:WriteObject', path);
    const { repository, head } = this.#base;
    const revision = textMember(value, 'srcRevision');
    const from = revision === undefined ? head : await findRevision(engine, repository, revision);
    const entry = await entryAt(engine, repository, from.id, source);
    if (!entry) throw entryNotFound(source);
    this.#set(path, { ...entry, lastModified: new Date(), mayBeGone: from.id !== head.id });
  }

  #demand(action: string, path: string): Promise<void> {
    const { face, repo } = this.#context;
    return face.demand(may(action, objectArn(repo.repository, path)));
  }

  #set(path: string, entry: NewEntry | undefined): void {
    this.#byHash.delete(path);
    this.#changes.set(path, entry);
    if (this.#changes.size > maxChanges) throw new HubError(400, `the commit changes more than ${maxChanges} paths; make several of it`);
  }

  /** In the order of keys, in pages. */
  async *pages(): AsyncGenerator<readonly Change[]> {
    const sorted = [...this.#changes]
      .map(([path, entry]) => ({ key: Buffer.from(path, 'utf8'), entry }))
      .sort((a, b) => Buffer.compare(a.key, b.key));
    for (let at = 0; at < sorted.length; at += pageSize)
      yield sorted.slice(at, at + pageSize).map(({ key, entry }) => ({ key, value: entry && encodeValue(encodeEntry(entry)) }));
  }
}

/** @throws HubError 400. */
function checkedPath(path: string | undefined, isFolder: boolean): string {
  const plain = isFolder ? path?.replace(/\/$/, '') : path;
  const isBad =
    plain === undefined ||
    plain === '' ||
    Buffer.byteLength(plain) > 1024 ||
    !isFile(plain) ||
    plain.includes('\0') ||
    !isWellFormed(plain) ||
    plain.split('/').some(name => name === '.' || name === '..');
  if (isBad) throw new HubError(400, `${JSON.stringify(path ?? null).slice(0, 1100)} is not a path of a file`);
  return plain;
}
