/** Settings of the store. */
import type { Logger } from '@srv/kernel';

export interface AzureStoreOptions {
  /** Milliseconds. */
  readonly preSignedExpiry: number;
  readonly disablePreSigned: boolean;
  readonly disablePreSignedUi: boolean;
  /** Whether clients may get signatures of directories. */
  readonly vendedCredentials: boolean;
  readonly log: Logger;
}
