/**
 * Parts of uploads as objects of a backend that knows only these. An upload is an object that holds the address it will
 * become; its parts are objects below it. A part that is sent again is a further object, and the latest counts, so that a
 * list that is being joined keeps its bytes.
 */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { multipartEtag } from './etag.js';
import { unknownUpload } from './parts.js';
import type { BlockBackend, Bytes, WriteOptions } from './block-backend.js';
import type { ByteRange, ListedPart, ObjectProperties, OpenUpload, PutOptions } from './contract.js';
import type { BlockPlace } from './driver.js';
import type { Joining, KeptUpload, PartBackend, WrittenPart } from './part-uploads.js';

const folder = '.srv-uploads/';
/** Of the object that represents an upload. */
const recordName = 'upload';

/** A part and where its bytes are. */
interface StoredPart extends ListedPart {
  readonly address: string;
}

type Upload = KeptUpload<StoredPart>;

/** How objects of the backend are read and written. */
interface Objects {
  read(address: string, range?: ByteRange): Promise<Bytes>;
  write(address: string, body: Readable | Buffer, options: WriteOptions): Promise<ObjectProperties>;
}

interface SentPart extends WrittenPart {
  readonly name: string;
}

export class PartObjects implements PartBackend<BlockPlace, StoredPart, Upload, SentPart> {
  readonly #backend: BlockBackend;
  readonly #objects: Objects;
  #sent = 0;

  constructor(backend: BlockBackend, objects: Objects) {
    this.#backend = backend;
    this.#objects = objects;
  }

  /** Whether an address is part of an upload rather than an object of its own. */
  owns(address: string): boolean {
    return address.startsWith(folder, bucketOf(address).length);
  }

  async begin({ address }: BlockPlace): Promise<string> {
    const uploadId = randomBytes(16).toString('hex');
    await this.#objects.write(`${folderOf(address, uploadId)}${recordName}`, Buffer.from(address), {});
    return uploadId;
  }

  async check({ address }: BlockPlace, uploadId: string): Promise<void> {
    const found =
      /^[0-9a-f]+$/.test(uploadId) &&
      (await this.#backend.read(`${folderOf(address, uploadId)}${recordName}`, 0, Number.POSITIVE_INFINITY));
    if (!found || (await bytesOf(found)).toString() !== address) throw unknownUpload(uploadId, address);
  }

  async part(
    { address }: BlockPlace,
    uploadId: string,
    partNumber: number,
    body: Readable | Buffer,
    options: PutOptions,
  ): Promise<SentPart> {
    // Names of one part sort by when they were sent.
    const sent = `${Date.now().toString(36).padStart(9, '0')}${(this.#sent++).toString(36).padStart(7, '0')}`;
    const name = `${folderOf(address, uploadId)}part-${String(partNumber).padStart(5, '0')}-${sent}-${randomBytes(4).toString('hex')}`;
    const { etag, lastModified } = await this.#objects.write(name, body, options);
    return { etag, lastModified, name };
  }

  async copyPart(
    source: BlockPlace,
    place: BlockPlace,
    uploadId: string,
    partNumber: number,
    range: ByteRange | undefined,
  ): Promise<SentPart> {
    const bytes = await this.#objects.read(source.address, range);
    return this.part(place, uploadId, partNumber, Buffer.isBuffer(bytes) ? bytes : Readable.from(bytes, { objectMode: false }), {});
  }

  async list(place: BlockPlace, uploadId: string): Promise<Upload> {
    await this.check(place, uploadId);
    const found = new Map<number, StoredPart>();
    const prefix = `${folderOf(place.address, uploadId)}part-`;
    for await (const { address, size, etag, lastModified } of this.#backend.list(prefix, '')) {
      const partNumber = Number(address.slice(prefix.length, prefix.length + 5));
      found.set(partNumber, { partNumber, size, etag, lastModified, address });
    }
    return { parts: [...found.values()] };
  }

  async complete({ address }: BlockPlace, _uploadId: string, { parts }: Joining<StoredPart, Upload>): Promise<WrittenPart> {
    const read = this.#backend.read.bind(this.#backend);
    const joined = async function* (): AsyncGenerator<Buffer> {
      for (const part of parts) {
        const bytes = await read(part.address, 0, Number.POSITIVE_INFINITY);
        if (Buffer.isBuffer(bytes)) yield bytes;
        else if (bytes) yield* bytes;
      }
    };
    const etag = multipartEtag(parts.map(part => part.etag));
    const { lastModified } = await this.#objects.write(address, Readable.from(joined(), { objectMode: false }), { etag });
    return { etag, lastModified };
  }

  /** The upload itself goes first: from then on it does not exist. */
  async abort({ address }: BlockPlace, uploadId: string): Promise<void> {
    const place = folderOf(address, uploadId);
    await this.#backend.remove(`${place}${recordName}`);
    const parts: string[] = [];
    for await (const { address: at } of this.#backend.list(`${place}part-`, '')) parts.push(at);
    for (const part of parts) await this.#backend.remove(part);
  }

  async dropPart({ name }: SentPart): Promise<void> {
    await this.#backend.remove(name);
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
}

/** `<scheme>://<bucket>/`. */
function bucketOf(address: string): string {
  return /^[^:]+:\/\/[^/]*\//.exec(address)?.[0] ?? '';
}

function folderOf(address: string, uploadId: string): string {
  return `${bucketOf(address)}${folder}${uploadId}/`;
}

async function bytesOf(found: Bytes): Promise<Buffer> {
  if (Buffer.isBuffer(found)) return found;
  const chunks: Buffer[] = [];
  for await (const chunk of found) chunks.push(chunk);
  return Buffer.concat(chunks);
}
