/** Settings of the store. */
import { copyLimits } from './copy.js';
import type { Logger, Values } from '@srv/kernel';
import type { StorageInfo } from '@srv/lib-stores/block';
import type { blockS3Config } from '../config.js';
import type { Encryption } from './address.js';
import type { CopyLimits } from './copy.js';
import type { VendOptions } from './vend.js';

export type S3Settings = Values<(typeof blockS3Config)['keys']>;

export interface S3StoreOptions {
  readonly info: StorageInfo;
  readonly encryption: Encryption;
  /** Validity of pre-signed URLs in milliseconds. */
  readonly preSignedExpiryMs: number;
  /** Absent: no credentials are vended. */
  readonly vend?: VendOptions | undefined;
  readonly log: Logger;
  /** Default: those of S3. */
  readonly limits?: Partial<StoreLimits> | undefined;
}

export interface StoreLimits extends CopyLimits {
  /** Bytes that a single request may write; longer bodies go in parts. */
  readonly putBytes: number;
  /** Objects in an answer of a walk. */
  readonly pageSize: number;
  /** Objects that a single request may remove. */
  readonly removals: number;
}

/** Those of S3. */
export const storeLimits: StoreLimits = { ...copyLimits, putBytes: 5 * 2 ** 30, pageSize: 1000, removals: 1000 };
