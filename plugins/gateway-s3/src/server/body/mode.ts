/** How a body is sent: `x-amz-content-sha256` and the lengths. */
import { S3Error } from '../protocol/errors.js';
import { isChecksumHeader } from './checksum.js';
import type { HeaderLines } from '../protocol/headers.js';
import type { ChunkSigner } from './chunks.js';

export type PayloadMode = { readonly size?: number } & (
  | { readonly kind: 'plain' }
  /** `sha256` in lower-case hexadecimal. */
  | { readonly kind: 'hash'; readonly sha256: string }
  | { readonly kind: 'chunks'; readonly signer?: ChunkSigner | undefined; readonly trailers: readonly string[] }
);

/** Values of `x-amz-content-sha256` for bodies in chunks. */
export const streamingModes = {
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD': { signed: true, trailer: false },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER': { signed: true, trailer: true },
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER': { signed: false, trailer: true },
} as const satisfies Readonly<Record<string, StreamingMode>>;

interface StreamingMode {
  readonly signed: boolean;
  readonly trailer: boolean;
}

const streaming: Readonly<Record<string, StreamingMode>> = streamingModes;

/**
 * @param signer absent: the request was not authenticated by a signature that chunks could continue.
 * @throws S3Error `InvalidArgument`, `InvalidRequest` or `MissingContentLength`.
 */
export function payloadMode(headers: HeaderLines, signer?: ChunkSigner): PayloadMode {
  const value = headers.text('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD';
  const plainSize = sizeOf(headers.text('content-length'));
  if (value.toUpperCase() === 'UNSIGNED-PAYLOAD') return { kind: 'plain', ...plainSize };
  if (/^[0-9a-f]{64}$/i.test(value)) return { kind: 'hash', sha256: value.toLowerCase(), ...plainSize };
  const kind = streaming[value.toUpperCase()];
  if (!kind || (kind.signed && !signer)) {
    throw new S3Error('InvalidArgument', {
      message: `x-amz-content-sha256 must be UNSIGNED-PAYLOAD, ${Object.keys(streaming).join(', ')}, or a valid sha256 value.`,
    });
  }
  const decoded = headers.get('x-amz-decoded-content-length');
  if (decoded !== undefined && decoded.trim() === '') throw new S3Error('MissingContentLength');
  const trailers = kind.trailer ? trailerNames(headers.text('x-amz-trailer') ?? '') : [];
  return { kind: 'chunks', trailers, ...sizeOf(decoded?.trim()), signer: kind.signed ? signer : undefined };
}

function sizeOf(text: string | undefined): { size?: number } {
  if (text === undefined) return {};
  const size = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(size)) throw new S3Error('InvalidArgument', { message: 'The content length is not a number.' });
  return { size };
}

function trailerNames(header: string): string[] {
  const names = header.split(',').map(name => name.trim().toLowerCase());
  if (names.length === 1 && names.every(isChecksumHeader)) return names;
  throw new S3Error('InvalidRequest', { message: 'The value specified in the x-amz-trailer header is not supported' });
}
