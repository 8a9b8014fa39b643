/** Files of which parts have arrived, by the address that they will have. */
import { SrvError, isSrvError } from '@srv/kernel';
import { identifierType, namespaceOf } from '@srv/lib-stores/block';
import { WaitingRecords } from '../waiting.js';
import type { Readable } from 'node:stream';
import type { Repository } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { BlockStore, ObjectPointer, UploadedPart } from '@srv/lib-stores/block';
import type { WaitingKind } from '../waiting.js';

interface PartialFile {
  readonly address: string;
  /** Of the block store. */
  readonly uploadId: string;
  /** A request joins the parts: no other one may. */
  readonly isJoining: boolean;
  /** Milliseconds since 1970: when the first part arrived. */
  readonly uploaded: number;
}

export const partialKind: WaitingKind<PartialFile> = {
  prefix: 'huggingface-parts',
  what: 'partial file',
  read: ({ address, uploadId, isJoining, uploaded }) =>
    typeof address === 'string' && typeof uploadId === 'string' && typeof isJoining === 'boolean' && typeof uploaded === 'number'
      ? { address, uploadId, isJoining, uploaded }
      : undefined,
};

interface Part {
  /** From 1. */
  readonly number: number;
  readonly body: Readable;
  /** Bytes. */
  readonly size: number;
  readonly signal: AbortSignal;
}

export class PartialFiles {
  readonly #block: BlockStore;
  readonly #records: WaitingRecords<PartialFile>;

  constructor(kv: KvStore, block: BlockStore, now?: () => number) {
    this.#block = block;
    this.#records = new WaitingRecords(kv, partialKind, now);
  }

  /** Stores one part; the first one that arrives begins the file. @returns its tag. @throws SrvError `invalid` for another size. */
  async put(repository: Repository, address: string, { number, body, size, signal }: Part): Promise<string> {
    const uploadId = await this.#begun(repository, address);
    return (await this.#block.uploadPart(pointerTo(repository, address), uploadId, number, body, { size, signal })).etag;
  }

  /**
   * Makes an object of the parts, or removes them: a client that fails here begins from the start.
   * @returns false for a file that is not known, or that another request joins. @throws SrvError `invalid` for parts that are not those.
   */
  async join(repository: Repository, address: string, parts: readonly UploadedPart[]): Promise<boolean> {
    const found = await this.#records.find(repository, address);
    if (!found || found.value.isJoining) return false;
    const file = { ...found.value, isJoining: true };
    if (!(await this.#records.replace(repository, address, file, found.predicate))) return false;
    try {
      await this.#block.completeMultipart(pointerTo(repository, address), file.uploadId, parts);
    } catch (error) {
      await this.#end(repository, file);
      await this.#records.remove(repository, address);
      throw error;
    }
    // Before anything refers to the object: what removes old files must not meet one that is committed.
    await this.#records.remove(repository, address);
    return true;
  }

  /** Removes the parts of files that were never completed. */
  clean(repository: Repository): Promise<void> {
    return this.#records.clean(repository, file => this.#end(repository, file));
  }

  async #begun(repository: Repository, address: string): Promise<string> {
    const known = await this.#records.find(repository, address);
    if (known) return known.value.uploadId;
    const { uploadId } = await this.#block.createMultipart(pointerTo(repository, address));
    const file = { address, uploadId, isJoining: false, uploaded: this.#records.now() };
    if (await this.#records.add(repository, address, file)) return uploadId;
    // Another part was faster.
    await this.#block.abortMultipart(pointerTo(repository, address), uploadId);
    const other = await this.#records.find(repository, address);
    if (!other) throw new SrvError('conflict', 'the upload has ended: begin again');
    return other.value.uploadId;
  }

  async #end(repository: Repository, { address, uploadId }: PartialFile): Promise<void> {
    const pointer = pointerTo(repository, address);
    await this.#block.abortMultipart(pointer, uploadId).catch((error: unknown) => {
      if (!isSrvError(error, 'not_found')) throw error;
    });
    await this.#block.remove(pointer);
  }
}

function pointerTo(repository: Repository, address: string): ObjectPointer {
  return { namespace: namespaceOf(repository), identifier: address, identifierType: identifierType.relative };
}
