/** Where an object goes, and how it is sent there. */
import type { ProgressBar } from '@srv/lib-commands';
import type { Client } from '../operations/client.js';
import type { PreSignMode } from './pre-sign.js';

export interface UploadTarget {
  readonly repository: string;
  readonly branch: string;
  readonly path: string;
  /** Checksum of the object that may be replaced; any other is refused with 412. */
  readonly 'If-Match'?: string;
  /** `*`: an object that exists is not replaced but refused with 412. */
  readonly 'If-None-Match'?: string;
}

export interface UploadSettings {
  readonly api: Client;
  readonly preSign: PreSignMode;
  readonly progress: ProgressBar;
  readonly signal: AbortSignal;
  readonly contentType?: string | undefined;
  /** User metadata of the object. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Lets an interrupted multipart upload resume; absent: it restarts. */
  readonly resumption?: Resumption;
}

export interface Resumption {
  /** Where unfinished uploads are remembered. */
  readonly folder: string;
  /** Says what is left to do. */
  readonly tell: (line: string) => void;
}
