/**
 * Multipart uploads, which the service does not have. An upload is a marker object next to its target,
 * `<key>.<id>.multipart`, and each part an object of its own, `<key>.<id>.part_<number>`; completing composes them. The id
 * keeps uploads of one key apart.
 */
import { createHash, randomBytes } from 'node:crypto';
import { bareEtag, inParallel, matchPart, orderParts, unknownUpload } from '@srv/lib-stores/block';
import { SrvError, isSrvError } from '@srv/kernel';
import { objectPath } from './api.js';
import { composeLayers } from './compose.js';
import { isStatus } from './errors.js';
import { listObjects } from './list.js';
import { etagOf, sizeOf, updatedOf } from './resource.js';
import { writeObject } from './write-object.js';
import type { BucketKey, ListedPart, UploadedPart } from '@srv/lib-stores/block';
import type { Api } from './api.js';
import type { ComposeStep } from './compose.js';
import type { Encryption } from './encryption.js';
import type { ObjectResource } from './resource.js';

/** A part as the service knows it. */
interface StoredPart extends ListedPart {
  readonly name: string;
  readonly generation: string | undefined;
}

interface Upload {
  readonly id: string;
  readonly parts: readonly StoredPart[];
  /** Of the object to be made. */
  readonly storageClass: string | undefined;
}

/** What an object is made with, in addition to its sources. */
interface Composition {
  readonly destination?: object;
  /** Of the object to be replaced; `0`: it does not exist. */
  readonly generation?: string;
  readonly signal?: AbortSignal;
}

const partDigits = 5;
/** Attempts to make an object that others change meanwhile. */
const attempts = 10;
/** Metadata of an object made of parts: the upload, and the digest of the list of parts. */
const madeOf = 'srv-upload';
const composesAtOnce = 8;
const deletesAtOnce = 16;

export class Uploads {
  readonly #api: Api;
  readonly #encryption: Encryption;

  constructor(api: Api, encryption: Encryption) {
    this.#api = api;
    this.#encryption = encryption;
  }

  async create(object: BucketKey, storageClass: string | undefined): Promise<string> {
    const id = randomBytes(16).toString('hex');
    const metadata = storageClass === undefined ? {} : { metadata: { storageClass } };
    await writeObject(this.#api, markerOf(object, id), Buffer.from(id), { encryption: this.#encryption, ...metadata });
    return id;
  }

  /** @throws SrvError `not_found` for an upload that was never begun, was completed or aborted. */
  async check(object: BucketKey, id: string, uri: string): Promise<void> {
    if (!isUploadId(id)) throw unknownUpload(id, uri);
    try {
      await this.#api.json({ path: objectPath(markerOf(object, id)), query: { fields: 'name' } });
    } catch (error) {
      throw isStatus(error, 404) ? unknownUpload(id, uri) : error;
    }
  }

  /** @throws SrvError `not_found` for what cannot be an upload. */
  part({ bucket, key }: BucketKey, id: string, partNumber: number, uri: string): BucketKey {
    if (!isUploadId(id)) throw unknownUpload(id, uri);
    return { bucket, key: `${key}.${id}.part_${String(partNumber).padStart(partDigits, '0')}` };
  }

  /** @throws SrvError `not_found` when the upload ended while the part was written; the part is then removed here. */
  async keep(object: BucketKey, id: string, part: BucketKey, uri: string): Promise<void> {
    try {
      await this.check(object, id, uri);
    } catch (error) {
      if (isSrvError(error, 'not_found')) await this.#delete(part);
      throw error;
    }
  }

  /** @throws SrvError `not_found` as {@link check}. */
  async find({ bucket, key }: BucketKey, id: string, uri: string): Promise<Upload> {
    if (!isUploadId(id)) throw unknownUpload(id, uri);
    const prefix = `${key}.${id}.`;
    const parts: StoredPart[] = [];
    let marker: ObjectResource | undefined;
    for await (const page of listObjects(this.#api, { bucket, key: prefix })) {
      for (const found of page) {
        const rest = found.name.slice(prefix.length);
        if (rest === 'multipart') marker = found;
        const number = /^part_(\d{5})$/.exec(rest)?.[1];
        if (number === undefined) continue;
        const { name, generation } = found;
        parts.push({
          name,
          generation,
          partNumber: Number(number),
          size: sizeOf(found),
          lastModified: updatedOf(found),
          etag: etagOf(found),
        });
      }
    }
    if (!marker) throw unknownUpload(id, uri);
    return { id, parts, storageClass: marker.metadata?.['storageClass'] };
  }

  /** The listed parts in order. @throws SrvError `invalid` when the list does not agree with what was sent. */
  match({ parts }: Upload, uri: string, listed: readonly UploadedPart[]): StoredPart[] {
    const byNumber = new Map(parts.map(part => [part.partNumber, part]));
    return orderParts(uri, listed).map(part => matchPart(uri, { ...part, etag: bareEtag(part.etag) }, byNumber.get(part.partNumber)));
  }

  /**
   * Makes the object of exactly these parts. They stay, so that a failure leaves the upload as it was. Of two callers, in
   * whichever processes, the first one makes the object; the other gets it, too, if it has the same list.
   * @throws SrvError `invalid` when a part was sent again meanwhile, `not_found` when another list has completed the upload.
   */
  async join(object: BucketKey, upload: Upload, parts: readonly StoredPart[]): Promise<ObjectResource> {
    const generations = new Map(parts.map(part => [part.name, part.generation]));
    const layers = composeLayers([...generations.keys()], object.key, randomBytes(8).toString('hex'));
    const compose = ({ sources, target }: ComposeStep, more: Composition): Promise<ObjectResource> =>
      this.#api.json<ObjectResource>({
        method: 'POST',
        path: `${objectPath({ bucket: object.bucket, key: target })}/compose`,
        query: { kmsKeyName: this.#encryption.kmsKeyName, ifGenerationMatch: more.generation },
        headers: this.#encryption.headers,
        json: { destination: more.destination ?? {}, sourceObjects: sources.map(name => ({ name, generation: generations.get(name) })) },
        ...(more.signal ? { signal: more.signal } : {}),
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
      throw new SrvError('unavailable', `gs://${object.bucket}/${object.key}: it changed while the upload was completed; try again`);
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
      // Another caller may have removed the parts, since it has made the object.
      const made = await this.#madeBefore(object, await this.#findObject(object), upload.id, list);
      if (made) return made;
      throw new SrvError(
        'invalid',
        `gs://${object.bucket}/${object.key}: a part was replaced while the upload was completed; list the parts again`,
        { cause: error },
      );
    }
  }

  /** `found`, if another caller has made it of this upload. @throws SrvError `not_found` if it was made of another list. */
  async #madeBefore(object: BucketKey, found: ObjectResource | undefined, id: string, list: string): Promise<ObjectResource | undefined> {
    const [upload, parts] = found?.metadata?.[madeOf]?.split(' ') ?? [];
    if (upload !== id) return undefined;
    if (parts === list) return found;
    await this.remove(object, id);
    throw unknownUpload(id, `gs://${object.bucket}/${object.key}`);
  }

  async #findObject(object: BucketKey): Promise<ObjectResource | undefined> {
    try {
      return await this.#api.json<ObjectResource>({ path: objectPath(object) });
    } catch (error) {
      if (isStatus(error, 404)) return undefined;
      throw error;
    }
  }

  /** Removes the marker first, so that an upload without parts is never visible, then parts and intermediate objects. */
  async remove({ bucket, key }: BucketKey, id: string): Promise<void> {
    await this.#delete(markerOf({ bucket, key }, id));
    const failed = new AbortController();
    for await (const page of listObjects(this.#api, { bucket, key: `${key}.${id}.part_` })) {
      await inParallel(page, deletesAtOnce, ({ name }) => this.#delete({ bucket, key: name }), failed);
    }
  }

  async #delete(object: BucketKey): Promise<void> {
    try {
      await this.#api.json({ method: 'DELETE', path: objectPath(object) });
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
    }
  }
}

function markerOf({ bucket, key }: BucketKey, id: string): BucketKey {
  return { bucket, key: `${key}.${id}.multipart` };
}

function isUploadId(id: string): boolean {
  return /^[0-9a-f]{32}$/.test(id);
}
