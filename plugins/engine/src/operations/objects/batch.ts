/**
 * Many small objects in one body, one after another. Of each: the length of its description (4 bytes, big-endian), the
 * description in JSON, and its bytes.
 */
import { isUtf8 } from 'node:buffer';
import { SrvError, messageOf } from '@srv/kernel';

export interface BatchedObject {
  readonly path: string;
  readonly contentType?: string | undefined;
  /** User metadata by stored key. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** What a batch may hold. */
export const batchLimits = { objects: 500, bytes: 2 << 20, objectBytes: 64 << 10, descriptionBytes: 64 << 10 } as const;

const lengthBytes = 4;

export function encodeBatch(objects: readonly BatchedObject[]): Buffer {
  return Buffer.concat(
    objects.flatMap(({ path, contentType, metadata, bytes }) => {
      const description = Buffer.from(JSON.stringify({ path, size: bytes.length, content_type: contentType, metadata }));
      const length = Buffer.alloc(lengthBytes);
      length.writeUInt32BE(description.length);
      return [length, description, bytes];
    }),
  );
}

/** @throws SrvError `invalid` for anything but whole objects, two with one path, and more than the limits allow. */
export function decodeBatch(body: Buffer): BatchedObject[] {
  const objects: BatchedObject[] = [];
  const paths = new Set<string>();
  for (let at = 0; at < body.length; ) {
    const number = objects.length + 1;
    if (number > batchLimits.objects) throw wrong(number, `a batch has at most ${batchLimits.objects} objects`);
    const described = at + lengthBytes;
    const length = described <= body.length ? body.readUInt32BE(at) : Number.POSITIVE_INFINITY;
    if (length > batchLimits.descriptionBytes) throw wrong(number, `its description is longer than ${batchLimits.descriptionBytes} bytes`);
    const start = described + length;
    if (start > body.length) throw wrong(number, 'its description ends early');
    const { size, ...object } = readDescription(body.subarray(described, start), number);
    if (size > batchLimits.objectBytes) throw wrong(number, `it is larger than ${batchLimits.objectBytes} bytes; upload it alone`);
    at = start + size;
    if (at > body.length) throw wrong(number, 'its bytes end early');
    if (paths.has(object.path)) throw wrong(number, `${JSON.stringify(object.path)} occurs twice`);
    paths.add(object.path);
    objects.push({ ...object, bytes: body.subarray(start, at) });
  }
  return objects;
}

function readDescription(text: Buffer, number: number): Omit<BatchedObject, 'bytes'> & { readonly size: number } {
  // A name with replaced characters is another one.
  if (!isUtf8(text)) throw wrong(number, 'its description is not UTF-8');
  let description: unknown;
  try {
    description = JSON.parse(text.toString('utf8'));
  } catch (error) {
    throw wrong(number, `its description is not JSON: ${messageOf(error)}`);
  }
  if (typeof description !== 'object' || description === null) throw wrong(number, 'its description is not a JSON object');
  const { path, size, content_type: contentType, metadata } = description as Readonly<Record<string, unknown>>;
  if (typeof path !== 'string') throw wrong(number, '"path" must be a text');
  if (typeof size !== 'number' || !Number.isInteger(size) || size < 0) throw wrong(number, '"size" must be a number of bytes');
  if (contentType !== undefined && typeof contentType !== 'string') throw wrong(number, '"content_type" must be a text');
  if (metadata !== undefined && !isTexts(metadata)) throw wrong(number, '"metadata" must be an object of texts');
  return { path, size, ...(contentType === undefined ? {} : { contentType }), ...(metadata === undefined ? {} : { metadata }) };
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(v => typeof v === 'string');
}

function wrong(number: number, what: string): SrvError {
  return new SrvError('invalid', `object ${number} of the batch: ${what}`);
}
