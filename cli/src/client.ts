/** The client of the server's API, set up from the configuration. */
import { arch, platform, release } from 'node:os';
import { createClient } from '@srv/lib-engine-operations/client';
import type { Client, Commit, ObjectStats } from '@srv/lib-engine-operations/client';
import { pluginOperations } from './plugins/plugin-operations.js';
import type { Settings } from './config/settings.js';
import { version } from './version.js';

export type { Client } from '@srv/lib-engine-operations/client';
export type CommitRecord = Commit;
export type ObjectRecord = ObjectStats;

/** @throws Error when a key is missing, saying how to give it. */
export function createCliClient(
  { values }: Pick<Settings, 'values'>,
  { attempts = values['server.retries.max_attempts'] }: { readonly attempts?: number } = {},
): Client {
  const accessKeyId = values['credentials.access_key_id'];
  const secretAccessKey = values['credentials.secret_access_key'];
  if (!accessKeyId || !secretAccessKey) {
    const missing = accessKeyId ? 'credentials.secret_access_key' : 'credentials.access_key_id';
    throw new Error(`${missing} is not set: run "cli config", or set CLI_CREDENTIALS_ACCESS_KEY_ID and CLI_CREDENTIALS_SECRET_ACCESS_KEY`);
  }
  return createClient({
    moreOperations: pluginOperations,
    endpointUrl: values['server.endpoint_url'],
    accessKeyId,
    secretAccessKey,
    userAgent: `cli/${version()}/${platform()}/${release()}/${arch()}`,
    http2: values['network.http2.enabled'],
    retries: {
      enabled: values['server.retries.enabled'],
      maxAttempts: attempts,
      minWait: values['server.retries.min_wait_interval'],
      maxWait: values['server.retries.max_wait_interval'],
    },
  });
}
