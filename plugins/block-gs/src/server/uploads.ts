/**
 * Multipart uploads, which the service does not have. An upload is a marker object next to its target,
 * `<key>.<id>.multipart`, and each part an object of its own, `<key>.<id>.part_<number>`; completing composes them. The id
 * keeps uploads of one key apart.
 */
import { createHash, randomBytes } from 'node:crypto';
import { SrvError } from '@srv/kernel';
import { inParallel, unknownUpload } from '@srv/lib-stores/block';
import { addressOf } from './address.js';
import { objectPath } from './client.js';
import { composeLayers } from './compose.js';
import { copyObject } from './copy.js';
import { isStatus } from './errors.js';
import { readObject } from './read.js';
import { etagOf, sizeOf, updatedOf } from './resource.js';
import { listObjects } from './walk.js';
import { writeObject } from './write.js';
import type { Readable } from 'node:stream';
import type {
  ByteRange,
  Joining,
  KeptUpload,
  ListedPart,
  PartBackend,
  PutOptions,
  StorageClasses,
  WrittenPart,
} from '@srv/lib-stores/block';
import type { ObjectPlace } from './address.js';
import type { Api } from './client.js';
import type { ComposeStep } from './compose.js';
import type { Encryption } from './encryption.js';
import type { ObjectResource } from './resource.js';

/** A part as the service knows it. */
interface StoredPart extends ListedPart {
  readonly name: string;
  readonly generation: string | undefined;
}

interface Upload extends KeptUpload<StoredPart> {
  readonly id: string;
  /** Of the object to be made. */
  readonly storageClass: string | undefined;
}

interface SentPart extends WrittenPart {
  readonly place: ObjectPlace;
}

/** What an object is made with, in addition to its sources. */
interface Composition {
  readonly destination?: object;
  /** Of the object to be replaced; `0`: it does not exist. */
  readonly generation?: string;
  readonly signal?: AbortSignal | undefined;
}

const partDigits = 5;
/** Attempts to make an object that others change meanwhile. */
const attempts = 10;
/** Metadata of an object made of parts: the upload, and the digest of the list of parts. */
const madeOf = 'srv-upload';
const composesAtOnce = 8;
const deletesAtOnce = 16;

export class Uploads implements PartBackend<ObjectPlace, StoredPart, Upload, SentPart> {
  readonly #client: Api;
  readonly #encryption: Encryption;
  readonly #classes: StorageClasses;

  constructor(api: Api, encryption: Encryption, classes: StorageClasses) {
    this.#client = api;
    this.#encryption = encryption;
    this.#classes = classes;
  }

  async begin(place: ObjectPlace, options: { readonly storageClass?: string }): Promise<string> {
    const id = randomBytes(16).toString('hex');
    const storageClass = this.#classes.of(options.storageClass);
    const metadata = storageClass === undefined ? {} : { metadata: { storageClass } };
    await writeObject(this.#client, markerOf(place, id), Buffer.from(id), { encryption: this.#encryption, ...metadata });
    return id;
  }

  async check(place: ObjectPlace, id: string): Promise<void> {
    if (!isUploadId(id)) throw unknownUpload(id, place.address);
    try {
      await this.#client.object({ path: objectPath(markerOf(place, id)), query: { fields: 'name' } });
    } catch (error) {
      throw isStatus(error, 404) ? unknownUpload(id, place.address) : error;
    }
  }

  /** Where a part is. @throws SrvError `not_found` for what cannot be an upload. */
  static part({ bucket, key, address }: ObjectPlace, id: string, partNumber: number): ObjectPlace {
    if (!isUploadId(id)) throw unknownUpload(id, address);
    return placeOf(bucket, `${key}.${id}.part_${String(partNumber).padStart(partDigits, '0')}`);
  }

  async part(place: ObjectPlace, id: string, partNumber: number, body: Readable | Buffer, options: PutOptions): Promise<SentPart> {
    const part = Uploads.part(place, id, partNumber);
    const { storageClass: _, ...rest } = options;
    return sent(part, await writeObject(this.#client, part, body, { ...rest, encryption: this.#encryption }));
  }

  async copyPart(source: ObjectPlace, place: ObjectPlace, id: string, partNumber: number, range: ByteRange | undefined): Promise<SentPart> {
    const encryption = this.#encryption;
    if (range) return this.part(place, id, partNumber, await readObject(this.#client, source, { encryption, range }), {});
    const part = Uploads.part(place, id, partNumber);
    return sent(part, await copyObject(this.#client, source, part, { encryption }));
  }

  async list({ bucket, key, address }: ObjectPlace, id: string): Promise<Upload> {
    if (!isUploadId(id)) throw unknownUpload(id, address);
    const prefix = `${key}.${id}.`;
    const parts: StoredPart[] = [];
    let marker: ObjectResource | undefined;
    for await (const page of listObjects(this.#client, { bucket, key: prefix })) {
      for (const found of page) {
        const { name, generation } = found;
        const rest = name.slice(prefix.length);
        if (rest === 'multipart') marker = found;
        const number = /^part_(\d{5})$/.exec(rest)?.[1];
        if (number === undefined) continue;
        const facts = { size: sizeOf(found), lastModified: updatedOf(found), etag: etagOf(found) };
        parts.push({ name, generation, partNumber: Number(number), ...facts });
      }
    }
    if (!marker) throw unknownUpload(id, address);
    return { id, parts, storageClass: marker.metadata?.['storageClass'] };
  }

  /**
   * Makes the object of exactly these parts. They stay, so that a failure leaves the upload as it was. Of two callers, in
   * whichever processes, the first one makes the object; the other gets it, too, if it has the same list.
   * @throws SrvError `invalid` when a part was sent again meanwhile, `not_found` when another list has completed the upload.
   */
  async complete(place: ObjectPlace, _id: string, { upload, parts }: Joining<StoredPart, Upload>): Promise<WrittenPart> {
    const made = await this.#join(place, upload, parts);
    return { etag: etagOf(made), lastModified: updatedOf(made) };
  }

  async #join(object: ObjectPlace, upload: Upload, parts: readonly StoredPart[]): Promise<ObjectResource> {
    const generations = new Map(parts.map(part => [part.name, part.generation]));
    const layers = composeLayers([...generations.keys()], object.key, randomBytes(8).toString('hex'));
    const compose = ({ sources, target }: ComposeStep, more: Composition): Promise<ObjectResource> =>
      this.#client.object({
        method: 'POST',
        path: `${objectPath({ bucket: object.bucket, key: target })}/compose`,
        query: { kmsKeyName: this.#encryption.kmsKeyName, ifGenerationMatch: more.generation },
        headers: this.#encryption.headers,
        json: { destination: more.destination ?? {}, sourceObjects: sources.map(name => ({ name, generation: generations.get(name) })) },
        signal: more.signal,
      });
    const list = createHash('sha256')
      .update(JSON.stringify([...generations]))
      .digest('hex');
    const destination = { storageClass: upload.storageClass, metadata: { [madeOf]: `${upload.id} ${list}` } };
    try {
      for (const layer of layers.slice(0, -1)) {
        const failed = new AbortController();
        await inParallel(layer, composesAtOnce, async step => void (await compose(step, { signal: failed.signal })), failed);
      }
      const [last] = layers.at(-1) ?? [];
      if (!last) throw new Error('an upload without parts was joined');
      let generation = '0';
      for (let attempt = 0; attempt < attempts; attempt++) {
        try {
          return await compose(last, { destination, generation });
        } catch (error) {
          if (!isStatus(error, 412)) throw error;
        }
        const found = await this.#findObject(object);
        const made = await this.#madeBefore(object, found, upload.id, list);
        if (made) return made;
        generation = found?.generation ?? '0';
      }
      throw new SrvError('unavailable', `${object.address}: it changed while the upload was completed; try again`);
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
      // Another caller may have removed the parts, since it has made the object.
      const made = await this.#madeBefore(object, await this.#findObject(object), upload.id, list);
      if (made) return made;
      throw new SrvError('invalid', `${object.address}: a part was replaced while the upload was completed; list the parts again`, {
        cause: error,
      });
    }
  }

  /** `found`, if another caller has made it of this upload. @throws SrvError `not_found` if it was made of another list. */
  async #madeBefore(object: ObjectPlace, found: ObjectResource | undefined, id: string, list: string): Promise<ObjectResource | undefined> {
    const [upload, parts] = found?.metadata?.[madeOf]?.split(' ') ?? [];
    if (upload !== id) return undefined;
    if (parts === list) return found;
    await this.abort(object, id);
    throw unknownUpload(id, object.address);
  }

  async #findObject(object: ObjectPlace): Promise<ObjectResource | undefined> {
    try {
      return await this.#client.object({ path: objectPath(object) });
    } catch (error) {
      if (isStatus(error, 404)) return undefined;
      throw error;
    }
  }

  /** Removes the marker first, so that an upload without parts is never visible, then parts and intermediate objects. */
  async abort(place: ObjectPlace, id: string): Promise<void> {
    const { bucket, key } = place;
    await this.#delete(markerOf(place, id));
    const failed = new AbortController();
    for await (const page of listObjects(this.#client, { bucket, key: `${key}.${id}.part_` })) {
      await inParallel(page, deletesAtOnce, ({ name }) => this.#delete(placeOf(bucket, name)), failed);
    }
  }

  async dropPart({ place }: SentPart): Promise<void> {
    await this.#delete(place);
  }

  async #delete(object: ObjectPlace): Promise<void> {
    try {
      await this.#client.json({ method: 'DELETE', path: objectPath(object) });
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
    }
  }
}

function markerOf({ bucket, key }: ObjectPlace, id: string): ObjectPlace {
  return placeOf(bucket, `${key}.${id}.multipart`);
}

function placeOf(bucket: string, key: string): ObjectPlace {
  return { bucket, key, address: addressOf(bucket, key) };
}

function sent(place: ObjectPlace, made: ObjectResource): SentPart {
  return { place, etag: etagOf(made), lastModified: updatedOf(made) };
}

function isUploadId(id: string): boolean {
  return /^[0-9a-f]{32}$/.test(id);
}
