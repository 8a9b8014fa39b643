/** URLs that carry their own right: clients send bytes without credentials. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { base } from '../address.js';
import { uploadPrefix } from '../namespace.js';
import type { UploadRight } from '../upload-right.js';

export interface SignedUpload extends UploadRight {
  /** SHA-256 in hex. */
  readonly oid: string;
  /** Bytes of the whole file. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly expires: number;
  /** Of a file that comes in parts. */
  readonly part?: SignedPart;
}

interface SignedPart {
  /** Where the file will lie. */
  readonly address: string;
  /** From 1; 0 is the request that joins the parts. */
  readonly number: number;
}

/** The path of an upload. @param key of this installation. */
export function signedPath(upload: SignedUpload, key: string): string {
  const { repository, instance, user, oid, size, expires, part } = upload;
  const facts = [repository, instance, user, oid, size, expires, ...(part ? [part.address, part.number] : [])];
  return `${base}/${uploadPrefix}/${[...facts, signatureOf(upload, key)].map(encodeURIComponent).join('/')}`;
}

/** @param parts decoded segments after {@link uploadPrefix}. @returns `undefined` for what was not signed here. */
export function verified(parts: readonly string[], key: string): SignedUpload | undefined {
  const [repository = '', instance = '', user = '', oid = '', size = '', expires = '', ...rest] = parts;
  const [signature = '', number = '0', address] = rest.toReversed();
  if ((parts.length !== 7 && parts.length !== 9) || ![size, expires, number].every(text => /^\d{1,15}$/.test(text))) return undefined;
  const part = address === undefined ? {} : { part: { address, number: Number(number) } };
  const upload = { repository, instance, user, oid, size: Number(size), expires: Number(expires), ...part };
  const [wanted, given] = [Buffer.from(signatureOf(upload, key)), Buffer.from(signature)];
  return wanted.length === given.length && timingSafeEqual(wanted, given) ? upload : undefined;
}

/** Each part has a length, so that no two uploads have the same text. */
function signatureOf({ repository, instance, user, oid, size, expires, part }: SignedUpload, key: string): string {
  const text = JSON.stringify(['huggingface-lfs', repository, instance, user, oid, size, expires, part?.address ?? '', part?.number ?? '']);
  return createHmac('sha256', key).update(text).digest('hex');
}
