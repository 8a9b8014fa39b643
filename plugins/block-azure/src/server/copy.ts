/**
 * Moves bytes between blobs. The service does it if it can; else they go through this process, as with emulators, or when a
 * firewall keeps the account of the target from reading the source.
 */
import { Readable } from 'node:stream';
import { SrvError } from '@srv/kernel';
import { formatUri } from './address.js';
import { etagOf } from './etag.js';
import { readObject } from './read.js';
import { cannotCopy, joinPieces } from './server-copy.js';
import { writeObject } from './write.js';
import type { BlockBlobClient } from '@azure/storage-blob';
import type { Accounts } from './client.js';
import type { JoinOptions, Piece } from './server-copy.js';
import type { Signer } from './sign.js';

interface Moved {
  readonly lastModified: Date;
  readonly etag: string;
}

/** Up to this size the service copies a blob in one request; its limit. */
const copyAtOnceBytes = 256 << 20;

export class Transfers {
  readonly #client: Accounts;
  readonly #signer: Signer;
  readonly #copyAtOnce: number;

  /** @param copyAtOnce bytes of the largest blob that is copied in one request; tests use less than the service takes. */
  constructor(accounts: Accounts, signer: Signer, copyAtOnce = copyAtOnceBytes) {
    this.#client = accounts;
    this.#signer = signer;
    this.#copyAtOnce = copyAtOnce;
  }

  /** Copies a whole blob with its access tier's default and its MD5. */
  async copy(source: Piece, target: BlockBlobClient, { md5, signal }: JoinOptions): Promise<void> {
    if (source.length > this.#copyAtOnce) {
      await this.join([source], target, { md5, signal });
      return;
    }
    try {
      const { url, ...authorization } = await this.#signer.source(source.source);
      await target.syncCopyFromURL(url, { ...authorization, ...(signal ? { abortSignal: signal } : {}) });
    } catch (error) {
      if (!cannotCopy(error)) throw error;
      await this.#joinStreamed([source], target, this.#guarded([source], { signal }));
    }
  }

  /** Makes the target of the pieces, in order. Readers of the target see what was there until all is done. */
  async join(pieces: readonly Piece[], target: BlockBlobClient, given: JoinOptions): Promise<Moved> {
    const options = this.#guarded(pieces, given);
    try {
      const lastModified = await joinPieces(target, pieces, this.#signer, options);
      return { lastModified, etag: etagOf(await target.getProperties()) };
    } catch (error) {
      if (!cannotCopy(error)) throw error;
      return this.#joinStreamed(pieces, target, options);
    }
  }

  /** Sources are read by several requests, which the service does not tie to one version of them. */
  #guarded(pieces: readonly Piece[], { beforeCommit, ...options }: JoinOptions): JoinOptions {
    const requireUnchanged = async (): Promise<void> => {
      for (const { source, version } of pieces) {
        if (version === undefined) continue;
        const { etag } = await this.#client.blob(source).getProperties(options.signal ? { abortSignal: options.signal } : {});
        if (etag !== version)
          throw new SrvError(
            'unavailable',
            `${formatUri(source, this.#client.domain)}: the object was replaced while it was copied; copy it again`,
          );
      }
      await beforeCommit?.();
    };
    return { ...options, beforeCommit: requireUnchanged };
  }

  async #joinStreamed(pieces: readonly Piece[], target: BlockBlobClient, { tier, signal, beforeCommit }: JoinOptions): Promise<Moved> {
    const body = Readable.from(this.#bytes(pieces, { signal, beforeCommit }), {
      objectMode: false,
    });
    const { md5, lastModified } = await writeObject(target, body, { tier, signal });
    return { etag: md5, lastModified };
  }

  async *#bytes(pieces: readonly Piece[], { signal, beforeCommit }: Pick<JoinOptions, 'signal' | 'beforeCommit'>): AsyncGenerator<Buffer> {
    for (const { source, offset, length } of pieces) {
      if (length === 0) continue;
      const place = { ...source, address: formatUri(source, this.#client.domain) };
      const range = { start: offset, end: offset + length - 1 };
      yield* (await readObject(this.#client, place, { range, signal })) as AsyncIterable<Buffer>;
    }
    // The last bytes are not sent before this ends.
    await beforeCommit?.();
  }
}
