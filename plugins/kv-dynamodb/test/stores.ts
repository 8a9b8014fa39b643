/** Stores on the emulator. */
import { openDynamodbKvStore } from '../src/server/open.js';
import type { KvStore } from '@srv/kernel';
import type { OpenOptions } from '../src/server/open.js';

export function openAt(endpoint: string, options: Partial<OpenOptions> = {}): Promise<KvStore> {
  return openDynamodbKvStore({
    tableName: 'kvstore',
    scanLimit: 1025,
    endpoint,
    region: 'us-east-1',
    accessKeyId: 'test',
    secretAccessKey: 'secret-word',
    healthCheckInterval: 0,
    maxAttempts: 10,
    maxConnections: 0,
    ...options,
  });
}

export const bytes = (text: string): Buffer => Buffer.from(text);
