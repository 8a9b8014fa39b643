/**
 * Files of which parts have arrived, by the address that they will have. The record of an upload outlives its URLs, so that
 * an upload that has ended never begins again: a commit may refer to its address by then.
 */
import { isSrvError } from '@srv/kernel';
import { KeyedLock, identifierType, namespaceOf } from '@srv/lib-stores/block';
import { HubError } from '../errors.js';
import { WaitingRecords } from '../waiting.js';
import { isAnnounced, otherContent, readContent } from './announced.js';
import type { Readable } from 'node:stream';
import type { Engine, Repository } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { BlockStore, ObjectPointer, UploadedPart } from '@srv/lib-stores/block';
import type { WaitingKind } from '../waiting.js';
import type { AnnouncedFile } from './announced.js';

/**
 * `open`: parts arrive. `joining`: a request joins the parts and reads the file for its hash. `stored`: a commit may refer to
 * the file, which is never removed here. `refused`: nothing can refer to it.
 */
const states = ['open', 'joining', 'stored', 'refused'] as const;
type State = (typeof states)[number];

interface PartialFile {
  readonly address: string;
  /** Of the block store. */
  readonly uploadId: string;
  readonly state: State;
  /** MD5 in hex of a file that is stored. */
  readonly etag?: string;
  /** Milliseconds since 1970: when the first part arrived. */
  readonly uploaded: number;
}

export const partialKind: WaitingKind<PartialFile> = {
  prefix: 'huggingface-parts',
  what: 'partial file',
  read: ({ address, uploadId, state = 'open', etag, uploaded }) =>
    typeof address === 'string' && typeof uploadId === 'string' && isState(state) && typeof uploaded === 'number'
      ? { address, uploadId, state, uploaded, ...(typeof etag === 'string' ? { etag } : {}) }
      : undefined,
};

interface Part {
  /** From 1. */
  readonly number: number;
  /** Opens the body, once it is known that the part is wanted. */
  readonly body: () => Readable;
  /** Bytes. */
  readonly size: number;
  readonly signal: AbortSignal;
}

interface WholeFile extends AnnouncedFile {
  readonly address: string;
  readonly parts: readonly UploadedPart[];
}

interface PartialFilesParts {
  readonly engine: Pick<Engine, 'requireUnmoved'>;
  readonly kv: KvStore;
  readonly block: BlockStore;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

export class PartialFiles {
  readonly #engine: PartialFilesParts['engine'];
  readonly #block: BlockStore;
  readonly #records: WaitingRecords<PartialFile>;
  /** By address. */
  readonly #completing = new KeyedLock();

  constructor({ engine, kv, block, now }: PartialFilesParts) {
    this.#engine = engine;
    this.#block = block;
    this.#records = new WaitingRecords(kv, partialKind, now);
  }

  /**
   * Stores one part; the first one that arrives begins the file.
   * @returns its tag. @throws SrvError `invalid` for another size. @throws HubError 409 when the upload has ended.
   */
  async put(repository: Repository, address: string, { number, body, size, signal }: Part): Promise<string> {
    const { uploadId, state } = await this.#begun(repository, address);
    if (state !== 'open') throw ended();
    try {
      return (await this.#block.uploadPart(pointerTo(repository, address), uploadId, number, body(), { size, signal })).etag;
    } catch (error) {
      throw isSrvError(error, 'not_found') ? ended(error) : error;
    }
  }

  /**
   * Makes an object of the parts, and reads it: only then is its hash known. This continues after the client has left; a
   * request that is repeated waits for it here, and continues where another one stopped, or its server.
   * @returns its MD5 in hex. @throws HubError 400 for another content, and for parts that are not those; 409 for a file
   * that is not known, or that another server joins. @throws SrvError `moving` when the repository has moved to another storage
   * namespace meanwhile, where the parts are not known.
   */
  complete(repository: Repository, file: WholeFile): Promise<string> {
    return this.#completing.run(file.address, async () => {
      const found = (await this.#records.find(repository, file.address))?.value;
      if (found?.etag !== undefined) return found.etag;
      await this.#join(repository, file, found);
      return this.#check(repository, file);
    });
  }

  /** Removes the parts of files that were never completed, and forgets uploads whose URLs have expired. */
  clean(repository: Repository): Promise<void> {
    return this.#records.clean(repository, file => this.#abort(repository, file));
  }

  async #begun(repository: Repository, address: string): Promise<PartialFile> {
    const known = await this.#records.find(repository, address);
    if (known) return known.value;
    const { uploadId } = await this.#block.createMultipart(pointerTo(repository, address));
    const file = { address, uploadId, state: 'open', uploaded: this.#records.now() } as const;
    if (await this.#records.add(repository, address, file)) return file;
    // Another part was faster.
    await this.#block.abortMultipart(pointerTo(repository, address), uploadId);
    const other = await this.#records.find(repository, address);
    if (!other) throw ended();
    return other.value;
  }

  /** From then on the object exists; if this fails, the upload stays as it was. */
  async #join(repository: Repository, file: WholeFile, found: PartialFile | undefined): Promise<void> {
    const { address, parts } = file;
    const pointer = pointerTo(repository, address);
    if (found?.state === 'joining' && (await this.#block.exists(pointer))) return;
    if (!found || !(await this.#move(repository, address, { from: 'open', to: { state: 'joining' } }))) throw ended();
    try {
      await this.#block.completeMultipart(pointer, found.uploadId, parts);
    } catch (error) {
      // The answer to an earlier request to the store may have been lost.
      if (isSrvError(error, 'not_found') && (await this.#block.exists(pointer))) return;
      await this.#move(repository, address, { from: 'joining', to: { state: 'open' } });
      if (isSrvError(error, 'not_found')) throw ended(error);
      throw isSrvError(error, 'invalid') ? await this.#misfit(repository, file, found, error) : error;
    }
  }

  /** In the words of the client: what the store says names its own address. */
  async #misfit(repository: Repository, { address, oid, parts }: WholeFile, { uploadId }: PartialFile, cause: unknown): Promise<HubError> {
    const pointer = pointerTo(repository, address);
    const list = await this.#block.listParts(pointer, uploadId, { maxParts: parts.length }).catch((error: unknown) => {
      if (!isSrvError(error, 'unsupported')) throw error;
    });
    const etags = new Map(list?.parts.map(({ partNumber, etag }) => [partNumber, etag]));
    const wrong = list && parts.find(({ partNumber, etag }) => etags.get(partNumber) !== etag);
    if (!wrong) return new HubError(400, `the parts of the file ${oid} are not those of the list: send them again`, { cause });
    const etag = etags.get(wrong.partNumber);
    const fault = etag === undefined ? 'has not arrived' : `has the etag ${etag}, and another one in the list`;
    return new HubError(400, `part ${wrong.partNumber} of the file ${oid} ${fault}`, { cause });
  }

  async #check(repository: Repository, file: WholeFile): Promise<string> {
    const pointer = pointerTo(repository, file.address);
    const content = await readContent(await this.#block.get(pointer, { expectedSize: file.size }));
    if (!isAnnounced(file, content)) {
      // Only a stored file is ever made known to commits.
      if (await this.#move(repository, file.address, { from: 'joining', to: { state: 'refused' } })) await this.#block.remove(pointer);
      throw otherContent(file, content);
    }
    await this.#engine.requireUnmoved(repository);
    if (await this.#move(repository, file.address, { from: 'joining', to: { state: 'stored', etag: content.md5 } })) return content.md5;
    const other = await this.#records.find(repository, file.address);
    if (other?.value.state !== 'stored') throw ended();
    return content.md5;
  }

  /** @returns false for a file in another state, and when another request was faster. */
  async #move(
    repository: Repository,
    address: string,
    { from, to }: { readonly from: State; readonly to: Pick<PartialFile, 'state' | 'etag'> },
  ): Promise<boolean> {
    const found = await this.#records.find(repository, address);
    if (found?.value.state !== from) return false;
    return this.#records.replace(repository, address, { ...found.value, ...to }, found.predicate);
  }

  /** Removes parts that were not joined, and no object. */
  async #abort(repository: Repository, { address, uploadId }: PartialFile): Promise<void> {
    await this.#block.abortMultipart(pointerTo(repository, address), uploadId).catch((error: unknown) => {
      if (!isSrvError(error, 'not_found')) throw error;
    });
  }
}

function isState(state: unknown): state is State {
  return states.includes(state as State);
}

function ended(cause?: unknown): HubError {
  return new HubError(409, 'the upload has ended, or another request completes it: begin again', { cause });
}

function pointerTo(repository: Repository, address: string): ObjectPointer {
  return { namespace: namespaceOf(repository), identifier: address, identifierType: identifierType.relative };
}
