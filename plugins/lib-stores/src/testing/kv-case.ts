/** What the cases of the key-value suite share. */
import { randomUUID } from 'node:crypto';
import type { KvStore } from '@srv/kernel';

export interface KvCase {
  readonly store: () => KvStore;
}

export const bytes = (text: string): Buffer => Buffer.from(text);

/** A partition no other case uses, so that one store serves the whole suite. */
export const newPartition = (): string => `case-${randomUUID()}`;

/** Unsigned byte order. */
export const byteOrder = (a: Buffer, b: Buffer): number => Buffer.compare(a, b);
