/** Stores on the emulator. */
import { randomUUID } from 'node:crypto';
import { openCosmosdbKvStore } from '../src/server/open.js';
import type { KvStore } from '@srv/kernel';
import type { OpenOptions } from '../src/server/open.js';

/** In base64, as keys of accounts are. */
export const secret = Buffer.from('secret-word').toString('base64');

export function openAt(endpoint: string, options: Partial<OpenOptions> = {}): Promise<KvStore> {
  return openCosmosdbKvStore({ endpoint, key: secret, database: 'srv', container: `kv-${randomUUID()}`, autoscale: false, ...options });
}

export const bytes = (text: string): Buffer => Buffer.from(text);
