/** Settings of the store, and of one write. */
import type { Logger } from '@srv/kernel';
import type { PutOptions } from '@srv/lib-stores/block';
import type { Encryption } from './encryption.js';
import type { DownscopeOptions } from './vend.js';

export interface GsStoreOptions {
  /** Milliseconds. */
  readonly preSignedExpiry: number;
  readonly disablePreSigned: boolean;
  readonly disablePreSignedUi: boolean;
  /** Absent: no tokens are vended. */
  readonly vend?: DownscopeOptions | undefined;
  readonly log: Logger;
}

export interface WriteOptions extends Pick<PutOptions, 'size' | 'signal' | 'md5'> {
  readonly encryption: Encryption;
  readonly storageClass?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>>;
}
