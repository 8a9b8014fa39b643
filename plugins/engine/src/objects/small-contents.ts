/**
 * Contents of small objects that are read again and again. What lies at an address of our own never changes: an object that is
 * written again gets another one.
 */

import { ReadyStream, identifierType } from '@srv/lib-stores/block';
import { HotCache } from '@srv/lib-stores/hot-cache';
import type { Readable } from 'node:stream';
import type { ByteRange, ObjectPointer } from '@srv/lib-stores/block';
import type { Entry } from './contract.js';

/** @bound bytes of small objects kept in memory */
const maxKeptBytes = 16 << 20;

/** Bytes; longer objects cost more to send than to read. */
const smallBytes = 16 << 10;

/** Bytes that keeping one costs beside its content. */
const overhead = 512;

/** Objects of which it is known that they were read; more than there are contents of medium size. */
const recentReads = 1 << 14;

interface Content {
  readonly bytes: Buffer;
  readonly namespace: string;
  readonly etag: string;
}

export class SmallContents {
  readonly #kept = new HotCache<Content>({ maxBytes: maxKeptBytes, reads: recentReads });

  /** @returns `undefined` for what is not here. */
  read({ identifier, namespace }: ObjectPointer, entry: Entry, range: ByteRange | undefined): Readable | undefined {
    if (!isSmall(entry)) return undefined;
    const found = this.#kept.get(identifier);
    if (found?.bytes.length !== entry.size || found.namespace !== namespace || found.etag !== entry.etag) return undefined;
    return new ReadyStream(range ? found.bytes.subarray(range.start, range.end + 1) : found.bytes);
  }

  /** After a read. @param body all of the object, as the store gave it; kept if the store had it in one piece. */
  keep({ identifier, namespace }: ObjectPointer, entry: Entry, body: Readable): void {
    if (!isSmall(entry) || !(body instanceof ReadyStream) || !this.#kept.admits(identifier)) return;
    // A copy: the bytes may be part of a larger piece, which they would hold.
    const bytes = Buffer.allocUnsafeSlow(body.ready.length);
    body.ready.copy(bytes);
    this.#kept.set(identifier, { bytes, namespace, etag: entry.etag }, bytes.length + overhead);
  }
}

/** Elsewhere than in our own storage an address may get other bytes. */
function isSmall({ size, addressType }: Entry): boolean {
  return size > 0 && size <= smallBytes && addressType === identifierType.relative;
}
