/** The client of the server's API, set up from the configuration. */
import { arch, platform, release } from 'node:os';
import { createClient } from '@srv/engine/client';
import { credentialsSource, findAwsCredentials } from './aws-iam/aws-credentials.js';
import { TokenSource } from './aws-iam/token-source.js';
import { pluginShapes } from './plugins/plugin-operations.js';
import { storedSession } from './stored-session.js';
import { TokenCache } from './token-cache.js';
import { version } from './version.js';
import type { Client, ClientOptions, ObjectStats } from '@srv/engine/client';
import type { Settings } from './config/settings.js';

export type { Client } from '@srv/engine/client';
export type ObjectRecord = ObjectStats;

/** An access key, or where to get tokens. @throws Error when both are missing, saying how to give one. */
function identityOf(values: Settings['values']): Pick<ClientOptions, 'accessKeyId' | 'secretAccessKey' | 'token'> {
  const { 'credentials.access_key_id': accessKeyId, 'credentials.secret_access_key': secretAccessKey } = values;
  if (accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey };
  const isIam = values['credentials.provider.type'] === 'aws_iam';
  if (isIam && !accessKeyId && !secretAccessKey) return { token: iamTokens(values) };
  const session = storedSession(values['server.endpoint_url']);
  if (!accessKeyId && !secretAccessKey && session.exists()) return { token: () => session.token() };
  const missing = accessKeyId ? 'credentials.secret_access_key' : 'credentials.access_key_id';
  throw new Error(
    `${missing} is not set: run "cli config", or set CLI_CREDENTIALS_ACCESS_KEY_ID and CLI_CREDENTIALS_SECRET_ACCESS_KEY; "cli login" needs no key; with AWS IAM, set CLI_CREDENTIALS_PROVIDER_TYPE to aws_iam instead`,
  );
}

function iamTokens(values: Settings['values']): () => Promise<string> {
  const endpoint = values['server.endpoint_url'];
  const source = new TokenSource({
    endpoint,
    tokenTtl: values['credentials.provider.aws_iam.token_ttl_seconds'],
    urlTtl: values['credentials.provider.aws_iam.url_presign_ttl_seconds'],
    refreshInterval: values['credentials.provider.aws_iam.refresh_interval'],
    headers: values['credentials.provider.aws_iam.token_request_headers'],
    cache: new TokenCache(endpoint, undefined, 'token', credentialsSource()),
    credentials: findAwsCredentials,
  });
  return () => source.token();
}

/** @throws Error when a key is missing, saying how to give it. */
export function createCliClient(
  { values }: Pick<Settings, 'values'>,
  { attempts = values['server.retries.max_attempts'] }: { readonly attempts?: number } = {},
): Client {
  return createClient({
    moreOperations: pluginShapes,
    endpointUrl: values['server.endpoint_url'],
    ...identityOf(values),
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
