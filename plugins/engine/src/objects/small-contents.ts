/**
 * Contents of small objects that were read recently. What lies at an address of our own never changes: an object that is
 * written again gets another one.
 */

import { ReadyStream, identifierType } from '@srv/lib-stores/block';
import { LRUCache } from 'lru-cache';
import type { Readable } from 'node:stream';
import type { ByteRange, ObjectPointer } from '@srv/lib-stores/block';
import type { Entry } from './contract.js';

/** @bound bytes of small objects kept in memory */
const maxKeptBytes = 16 << 20;

/** Bytes; longer objects cost more to send than to read. */
const smallBytes = 16 << 10;

/** Bytes that keeping one costs beside its content. */
const overhead = 512;

export class SmallContents {
  readonly #kept = new LRUCache<string, Buffer>({ maxSize: maxKeptBytes, sizeCalculation: ({ length }) => length + overhead });

  /** @returns `undefined` for what is not here. */
  read(pointer: ObjectPointer, entry: Entry, range: ByteRange | undefined): Readable | undefined {
    if (!isSmall(entry)) return undefined;
    const bytes = this.#kept.get(nameOf(pointer, entry));
    if (bytes?.length !== entry.size) return undefined;
    return new ReadyStream(range ? bytes.subarray(range.start, range.end + 1) : bytes);
  }

  /** @param body all of the object, as the store gave it; kept if the store had it in one piece. */
  keep(pointer: ObjectPointer, entry: Entry, body: Readable): void {
    if (!isSmall(entry) || !(body instanceof ReadyStream)) return;
    // A copy: the bytes may be part of a larger piece, which they would hold.
    const bytes = Buffer.allocUnsafeSlow(body.ready.length);
    body.ready.copy(bytes);
    this.#kept.set(nameOf(pointer, entry), bytes);
  }
}

/** Elsewhere than in our own storage an address may get other bytes. */
function isSmall({ size, addressType }: Entry): boolean {
  return size > 0 && size <= smallBytes && addressType === identifierType.relative;
}

function nameOf({ namespace, identifier }: ObjectPointer, { etag }: Entry): string {
  return `${namespace}\n${identifier}\n${etag}`;
}
