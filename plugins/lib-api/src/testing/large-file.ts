/** Files that do not fit into the memory that a server may use, and what it holds while one passes. */
import { createCipheriv, createHash } from 'node:crypto';
import { createWriteStream, statSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { HeldPeak, filesBelow } from '@srv/kernel/testing';
import type { IncomingMessage } from 'node:http';
import type { FaceRequestOptions } from './face-client.js';

/** Bytes. The variable is for runs by hand. */
export const largeBytes = Number(process.env['SRV_TEST_LARGE_BYTES'] ?? 120_000_000);

export interface LargeFile {
  readonly path: string;
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** A file without two equal pieces. */
export async function makeLargeFile(folder: string, name = 'large.bin'): Promise<LargeFile> {
  const path = join(folder, name);
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, name), Buffer.alloc(16));
  const sha256 = createHash('sha256');
  await pipeline(async function* () {
    const zeros = Buffer.alloc(1 << 20);
    for (let left = largeBytes; left > 0; left -= zeros.length) {
      const piece = cipher.update(zeros.subarray(0, Math.min(left, zeros.length)));
      sha256.update(piece);
      yield piece;
    }
  }, createWriteStream(path));
  return { path, bytes: largeBytes, sha256: sha256.digest('hex') };
}

type StreamRequest = Omit<FaceRequestOptions, 'body'> & {
  readonly body?: AsyncIterable<Buffer>;
  /** Ends the client in the middle. */
  readonly signal?: AbortSignal | undefined;
};

/** Sends a body piece by piece, and hashes the answer, of which the beginning is kept. */
export async function sendStream(
  url: string,
  path: string,
  { method = 'GET', headers = {}, body, signal }: StreamRequest = {},
): Promise<{ readonly status: number; readonly body: string; readonly sha256: string }> {
  const { hostname, port } = new URL(url);
  const request = httpRequest({ hostname, port, path, method, headers, agent: false, signal });
  const answering = new Promise<IncomingMessage>((resolve, reject) => request.once('response', resolve).once('error', reject));
  answering.catch(() => undefined);
  // A server that refuses a body may do so before its end.
  if (body) await pipeline(body, request).catch(() => undefined);
  else request.end();
  const sha256 = createHash('sha256');
  let kept = '';
  const answer = await answering;
  for await (const piece of answer) {
    sha256.update(piece as Buffer);
    if (kept.length < 1000) kept += (piece as Buffer).toString('latin1').slice(0, 1000);
  }
  return { status: answer.statusCode ?? 0, body: kept, sha256: sha256.digest('hex') };
}

/** @returns the most that this process held during the work beyond what it held before, in bytes; samples four times a second. */
export async function heldDuring(work: () => Promise<void>): Promise<number> {
  const held = new HeldPeak(1);
  const timer = setInterval(() => held.pass(1), 250);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return held.growth;
}

/** Files that a local block store keeps, sorted. Its journal is left out: the store begins and ends pieces of it at any time. */
export function storedFiles(folder: string): readonly string[] {
  return filesBelow(folder)
    .filter(path => !path.includes('.srv-journal'))
    .map(path => join(folder, path));
}

/** Bytes of {@link storedFiles}. */
export function storedBytes(folder: string): number {
  return storedFiles(folder).reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
}
