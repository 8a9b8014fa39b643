/**
 * Multipart uploads for backends that know objects only. An upload is an object that holds the address it will become;
 * its parts are objects below it. A part that is sent again is a further object, and the latest counts, so that a list
 * that is being joined keeps its bytes.
 */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { multipartEtag } from './etag.js';
import { matchPart, orderParts, pageOfParts, unknownUpload } from './parts.js';
import { KeyedLock } from './keyed-lock.js';
import type { CompletedUpload, ListedPart, ObjectProperties, OpenUpload, PartList, PutOptions, UploadedPart } from './contract.js';
import type { BlockBackend, WriteOptions } from './block-backend.js';
import type { PartPage } from './parts.js';

const folder = '.srv-uploads/';
/** Of the object that represents an upload. */
const recordName = 'upload';

/** A part and where its bytes are. */
interface StoredPart extends ListedPart {
  readonly address: string;
}

type Write = (address: string, body: Readable | Buffer, options: WriteOptions) => Promise<ObjectProperties>;

export class PartObjects {
  readonly #backend: BlockBackend;
  readonly #write: Write;
  /** One caller at a time ends an upload. */
  readonly #endings = new KeyedLock();
  #sent = 0;

  constructor(backend: BlockBackend, write: Write) {
    this.#backend = backend;
    this.#write = write;
  }

  /** Whether an address is part of an upload rather than an object of its own. */
  owns(address: string): boolean {
    return address.startsWith(folder, bucketOf(address).length);
  }

  async create(address: string): Promise<string> {
    const uploadId = randomBytes(16).toString('hex');
    await this.#write(`${placeOf(address, uploadId)}${recordName}`, Buffer.from(address), {});
    return uploadId;
  }

  /** @throws SrvError `not_found` unless `uploadId` is an upload that will become `address`. */
  async check(address: string, uploadId: string): Promise<void> {
    const found =
      /^[0-9a-f]+$/.test(uploadId) && (await this.#backend.read(`${placeOf(address, uploadId)}${recordName}`, 0, Number.POSITIVE_INFINITY));
    if (!found || (await bytesOf(found)).toString() !== address) throw unknownUpload(uploadId, address);
  }

  async put(address: string, uploadId: string, partNumber: number, body: Readable | Buffer, options: PutOptions) {
    await this.check(address, uploadId);
    // Names of one part sort by when they were sent.
    const sent = `${Date.now().toString(36).padStart(9, '0')}${(this.#sent++).toString(36).padStart(7, '0')}`;
    const name = `${placeOf(address, uploadId)}part-${String(partNumber).padStart(5, '0')}-${sent}-${randomBytes(4).toString('hex')}`;
    const part = await this.#write(name, body, options);
    try {
      await this.check(address, uploadId);
    } catch (error) {
      // The upload ended meanwhile, and what it left was removed without this part.
      await this.#backend.remove(name);
      throw error;
    }
    return { etag: part.etag, lastModified: part.lastModified };
  }

  async page(address: string, uploadId: string, page: PartPage): Promise<PartList> {
    await this.check(address, uploadId);
    const parts = [...(await this.#latest(address, uploadId)).values()];
    return pageOfParts(
      parts.map(({ address: _, ...part }) => part),
      page,
    );
  }

  /** @throws SrvError `not_found`; `invalid` when the list is empty, names a number twice, a part never sent, or another etag. */
  join(address: string, uploadId: string, listed: readonly UploadedPart[]): Promise<CompletedUpload> {
    return this.#endings.run(uploadId, async () => {
      await this.check(address, uploadId);
      const present = await this.#latest(address, uploadId);
      const parts = orderParts(address, listed).map(part => matchPart(address, part, present.get(part.partNumber)));
      const read = this.#backend.read.bind(this.#backend);
      const joined = async function* (): AsyncGenerator<Buffer> {
        for (const part of parts) {
          const bytes = await read(part.address, 0, Number.POSITIVE_INFINITY);
          if (Buffer.isBuffer(bytes)) yield bytes;
          else if (bytes) yield* bytes;
        }
      };
      const etag = multipartEtag(parts.map(part => part.etag));
      const { size, lastModified } = await this.#write(address, Readable.from(joined(), { objectMode: false }), { etag });
      await this.#remove(address, uploadId);
      return { etag, size, lastModified };
    });
  }

  /** Ends an upload without an object. @throws SrvError `not_found`. */
  end(address: string, uploadId: string): Promise<void> {
    return this.#endings.run(uploadId, async () => {
      await this.check(address, uploadId);
      await this.#remove(address, uploadId);
    });
  }

  /** Uploads of objects whose address begins with `prefix`, a page for each. */
  async *open(prefix: string): AsyncGenerator<readonly OpenUpload[]> {
    const place = `${bucketOf(prefix)}${folder}`;
    for await (const { address: at, lastModified } of this.#backend.list(place, '')) {
      const [uploadId = '', name] = at.slice(place.length).split('/');
      if (name !== recordName) continue;
      const found = await this.#backend.read(at, 0, Number.POSITIVE_INFINITY);
      const address = found ? (await bytesOf(found)).toString() : '';
      if (address.startsWith(prefix)) yield [{ address, uploadId, startedAt: lastModified }];
    }
  }

  async #latest(address: string, uploadId: string): Promise<ReadonlyMap<number, StoredPart>> {
    const found = new Map<number, StoredPart>();
    const prefix = `${placeOf(address, uploadId)}part-`;
    for await (const { address: at, size, etag, lastModified } of this.#backend.list(prefix, '')) {
      const partNumber = Number(at.slice(prefix.length, prefix.length + 5));
      found.set(partNumber, { partNumber, size, etag, lastModified, address: at });
    }
    return found;
  }

  /** The upload itself goes first: from then on it does not exist. */
  async #remove(address: string, uploadId: string): Promise<void> {
    const place = placeOf(address, uploadId);
    await this.#backend.remove(`${place}${recordName}`);
    const parts: string[] = [];
    for await (const { address: at } of this.#backend.list(`${place}part-`, '')) parts.push(at);
    for (const part of parts) await this.#backend.remove(part);
  }
}

/** `<scheme>://<bucket>/`. */
function bucketOf(address: string): string {
  return /^[^:]+:\/\/[^/]*\//.exec(address)?.[0] ?? '';
}

function placeOf(address: string, uploadId: string): string {
  return `${bucketOf(address)}${folder}${uploadId}/`;
}

async function bytesOf(found: Buffer | AsyncIterable<Buffer> | Iterable<Buffer>): Promise<Buffer> {
  if (Buffer.isBuffer(found)) return found;
  const chunks: Buffer[] = [];
  for await (const chunk of found) chunks.push(chunk);
  return Buffer.concat(chunks);
}
