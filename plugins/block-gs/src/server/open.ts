/** Opens the store. Nothing is asked of the service: a wrong account shows with the first request. */

import { readFile } from 'node:fs/promises';
import { Storage } from '@google-cloud/storage';
import { SrvError, messageOf, silentLogger, withoutPassword } from '@srv/kernel';
import { createBlockStore, measureConnections } from '@srv/lib-stores/block';
import { scheme } from './address.js';
import { Api } from './client.js';
import { Encryption } from './encryption.js';
import { CredentialsFailure } from './errors.js';
import { identityCall } from './identity-calls.js';
import { UrlSigner } from './sign.js';
import { GsDriver } from './store.js';
import type { Logger } from '@srv/kernel';
import type { Metrics } from '@srv/kernel/metrics';
import type { BlockStore } from '@srv/lib-stores/block';
import type { ApiOptions } from './client.js';

export interface OpenOptions extends ApiOptions {
  readonly credentialsFile?: string | undefined;
  readonly credentialsJson?: string | undefined;
  /** Milliseconds; 0 is the default, 15 minutes. */
  readonly preSignedExpiry?: number;
  readonly disablePreSigned?: boolean;
  readonly disablePreSignedUi?: boolean;
  /** For buckets with uniform access. */
  readonly vendedCredentials?: boolean;
  /** 64 hex digits. */
  readonly customerSuppliedKey?: string | undefined;
  readonly kmsKeyId?: string | undefined;
  readonly log?: Logger;
  /** Default: nothing is measured. */
  readonly metrics?: Metrics | undefined;
}

interface ServiceAccount {
  readonly type?: string;
  readonly project_id?: string;
  readonly client_email?: string;
  readonly private_key?: string;
}

const defaultExpiry = 15 * 60_000;
/** Of a token whose end is not known: half of what the service gives. */
const tokenLifeMs = 30 * 60_000;

/** @throws SrvError `config` for credentials, keys or URLs that cannot be used. */
export async function openGsBlockStore(options: OpenOptions): Promise<BlockStore> {
  const { vendedCredentials = false } = options;
  const { disablePreSigned = false, disablePreSignedUi = true, preSignedExpiry, log = silentLogger, testEndpointUrl } = options;
  const encryption = new Encryption(options);
  if (testEndpointUrl !== undefined && !URL.canParse(testEndpointUrl))
    throw new SrvError(
      'config',
      `blockstore.gs.test_endpoint_url: ${withoutPassword(testEndpointUrl)} is not a URL; write http://<host>:<port>`,
    );
  const credentials = await readCredentials(options);
  const storage = new Storage({
    ...(credentials ? { credentials } : {}),
    ...(credentials?.project_id === undefined ? {} : { projectId: credentials.project_id }),
    ...(testEndpointUrl === undefined ? {} : { apiEndpoint: testEndpointUrl }),
  });
  const api = new Api(storage, options);
  if (options.metrics) measureConnections(scheme, api.agents, options.metrics);
  const { client_email: email, private_key: privateKey } = credentials ?? {};
  const signer = new UrlSigner(storage, api.timeout, email && privateKey ? { email, privateKey } : undefined);
  const settings = {
    preSignedExpiry: preSignedExpiry || defaultExpiry,
    disablePreSigned,
    disablePreSignedUi,
    log,
    vend: vendedCredentials ? { source: () => identityCall(identityToken(storage), api.timeout) } : undefined,
  };
  return createBlockStore(new GsDriver(api, signer, encryption, settings));
}

/** Of the server itself. */
async function identityToken({ authClient }: Storage): Promise<{ token: string; expiry: Date }> {
  const client = await authClient.getClient();
  const { token } = await client.getAccessToken();
  if (!token) throw new CredentialsFailure('the identity of the server has no token');
  return { token, expiry: new Date(client.credentials.expiry_date ?? Date.now() + tokenLifeMs) };
}

/** Without any the library looks for those of the machine, when the first request needs them. */
async function readCredentials({ credentialsFile, credentialsJson }: OpenOptions): Promise<ServiceAccount | undefined> {
  if (credentialsFile) return parse('blockstore.gs.credentials_file', await readKeyFile(credentialsFile), credentialsFile);
  if (credentialsJson) return parse('blockstore.gs.credentials_json', credentialsJson);
  return undefined;
}

async function readKeyFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new SrvError(
      'config',
      `blockstore.gs.credentials_file: ${path}: cannot be read (${messageOf(error)}); name a service-account key file`,
      {
        cause: error,
      },
    );
  }
}

/** Messages never show what was parsed. @param where the file, if it was one. */
function parse(key: string, text: string, where?: string): ServiceAccount {
  const place = where === undefined ? key : `${key}: ${where}`;
  let account: ServiceAccount | null;
  try {
    account = JSON.parse(text) as ServiceAccount | null;
  } catch {
    throw new SrvError('config', `${place}: is not JSON; use the key of a service account as it was downloaded`);
  }
  const { type, client_email: email, private_key: privateKey } = account ?? {};
  if (type !== 'service_account')
    throw new SrvError('config', `${place}: the type of the credentials is ${JSON.stringify(type)}; only service_account is supported`);
  if (!email || !privateKey)
    throw new SrvError('config', `${place}: client_email or private_key is missing; download the key of the service account again`);
  return account ?? {};
}
