/** Contents of a commit on their way into the block store: nothing refers to them before the commit does. */
import { createHash } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { identifierType, namespaceOf } from '@srv/lib-stores/block';
import type { Engine, Repository } from '@srv/engine/contract';
import type { Logger } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';

export interface StoredContent {
  readonly address: string;
  /** Bytes. */
  readonly size: number;
  /** MD5 in hex, as of all uploads. */
  readonly etag: string;
  readonly sha256: string;
  /** Hash of the blob in Git; see {@link ContentStore.openFile}. */
  readonly blob?: string;
  readonly lastModified: Date;
}

interface ContentStoreParts {
  readonly engine: Engine;
  readonly block: BlockStore;
  readonly log: Logger;
  readonly repository: Repository;
  readonly signal: AbortSignal;
}

/** Bytes up to which a content is kept for the hash of its blob, which begins with the length. */
export const smallBytes = 1 << 20;
/** Bytes from which clients send a file by LFS, where its blob does not matter. */
export const largeBytes = 10 << 20;

/** Stores contents, and knows which have to be removed again. */
export class ContentStore {
  readonly #parts: ContentStoreParts;
  readonly #stored = new Set<string>();

  constructor(parts: ContentStoreParts) {
    this.#parts = parts;
  }

  open(): ContentWriter {
    const { engine, block, signal } = this.#parts;
    const address = engine.allocateAddress();
    this.#stored.add(address);
    const body = new PassThrough();
    const writer: ContentWriter = new ContentWriter(address, body, () =>
      block.put(this.#pointer(address), body, { signal, md5: () => writer.md5() }),
    );
    return writer;
  }

  /** A content that is described by the hash of its blob, up to {@link largeBytes}. Above {@link smallBytes} it is read again for that. */
  openFile(): Pick<ContentWriter, 'write' | 'end' | 'abandon'> {
    const writer = this.open();
    return {
      write: piece => writer.write(piece),
      end: async () => {
        const stored = await writer.end();
        return stored.blob === undefined && stored.size <= largeBytes ? { ...stored, blob: await this.#blobOf(stored) } : stored;
      },
      abandon: error => writer.abandon(error),
    };
  }

  async #blobOf({ address, size }: StoredContent): Promise<string> {
    const { block, signal } = this.#parts;
    const hash = createHash('sha1').update(`blob ${size}\0`);
    const body = await block.get(this.#pointer(address), { expectedSize: size, signal });
    for await (const piece of body as AsyncIterable<Buffer>) hash.update(piece);
    return hash.digest('hex');
  }

  /**
   * Stores one content; if `fill` fails, nothing of it remains. Write records of it afterwards: one may exist though writing
   * it failed, and what it refers to must stay.
   * @throws SrvError `moving` when the repository has moved to another storage namespace meanwhile; what `fill` throws.
   */
  async store<T>(fill: (writer: ContentWriter) => Promise<T>): Promise<T> {
    const { engine, repository } = this.#parts;
    const writer = this.open();
    try {
      const filled = await fill(writer);
      await engine.requireUnmoved(repository);
      return filled;
    } catch (error) {
      await writer.abandon(error instanceof Error ? error : new Error(String(error)));
      await this.removeAllBut(new Set());
      throw error;
    }
  }

  /** Removes what no entry refers to. A failure is only logged. */
  async removeAllBut(used: ReadonlySet<string>): Promise<void> {
    const { block, log } = this.#parts;
    const unused = [...this.#stored].filter(address => !used.has(address));
    await Promise.all(
      unused.map(address =>
        block
          .remove(this.#pointer(address))
          .catch((error: unknown) => log.warn({ address, error: String(error) }, 'cannot remove an unused upload')),
      ),
    );
  }

  #pointer(address: string) {
    return { namespace: namespaceOf(this.#parts.repository), identifier: address, identifierType: identifierType.relative };
  }
}

export class ContentWriter {
  readonly #address: string;
  readonly #body: PassThrough;
  readonly #storing: Promise<{ readonly lastModified: Date }>;
  readonly #md5 = createHash('md5');
  readonly #sha256 = createHash('sha256');
  #etag: string | undefined;
  /** All of the content, while it is small. */
  #pieces: Buffer[] | undefined = [];
  #size = 0;

  constructor(address: string, body: PassThrough, put: () => Promise<{ readonly lastModified: Date }>) {
    this.#address = address;
    this.#body = body;
    // The store destroys a body that it does not read to its end.
    body.on('error', () => undefined);
    this.#storing = put();
    // One handler for all writes: each further one would stay until the content has ended.
    this.#storing.then(
      () => body.destroy(),
      (error: unknown) => body.destroy(error instanceof Error ? error : new Error(String(error))),
    );
  }

  md5(): string {
    this.#etag ??= this.#md5.digest('hex');
    return this.#etag;
  }

  /** @throws what the store failed with. */
  async write(piece: Buffer): Promise<void> {
    if (piece.length === 0) return;
    this.#md5.update(piece);
    this.#sha256.update(piece);
    this.#size += piece.length;
    if (this.#size > smallBytes) this.#pieces = undefined;
    this.#pieces?.push(piece);
    if (!this.#body.destroyed && !this.#body.write(piece)) await this.#drained();
    if (!this.#body.destroyed) return;
    await this.#storing;
    throw new Error('the store ended an upload before its last byte');
  }

  /** Resolves when more may be written, or nothing more is read. */
  #drained(): Promise<void> {
    const body = this.#body;
    return new Promise(resolve => {
      const settle = (): void => {
        body.off('drain', settle).off('close', settle);
        resolve();
      };
      body.on('drain', settle).on('close', settle);
    });
  }

  /** @throws what the store failed with. */
  async end(): Promise<StoredContent> {
    this.#body.end();
    const { lastModified } = await this.#storing;
    const blob = this.#pieces && createHash('sha1').update(`blob ${this.#size}\0`);
    for (const piece of this.#pieces ?? []) blob?.update(piece);
    return {
      address: this.#address,
      size: this.#size,
      etag: this.md5(),
      sha256: this.#sha256.digest('hex'),
      lastModified,
      ...(blob ? { blob: blob.digest('hex') } : {}),
    };
  }

  /** Ends the write; nothing remains in the store. */
  async abandon(error: Error): Promise<void> {
    this.#body.destroy(error);
    await this.#storing.catch(() => undefined);
  }
}
