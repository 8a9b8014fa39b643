/** Accounts without a key: the default credential chain of the client, user delegation keys and their signatures. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rejectsWith } from '@srv/kernel/testing';
import { ScriptedHttp } from '@srv/test-servers';
import { startAzurite } from '@srv/test-servers/azure';
import { openAzureBlockStore } from '../src/server/open.js';
import { at } from './azurite.js';
import type { TestContext } from 'node:test';

const run = promisify(execFile);
const oid = '11111111-2222-3333-4444-555555555555';

/** A token as the service's own look; the emulator does not check its signature. */
function token(): string {
  const seconds = Math.floor(Date.now() / 1000);
  const claims = {
    aud: 'https://storage.azure.com',
    iss: 'https://sts.windows.net/tenant/',
    iat: seconds,
    nbf: seconds - 60,
    exp: seconds + 3600,
    oid,
    tid: oid,
  };
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}.c2lnbmF0dXJl`;
}

/** Gives out tokens as App Service does to what runs there. */
async function managedIdentity(t: TestContext): Promise<{ url: string; resources: string[] }> {
  const resources: string[] = [];
  const http = await ScriptedHttp.open((request, response) => {
    resources.push(new URL(request.url ?? '/', 'http://x').searchParams.get('resource') ?? '');
    const expires = Math.floor(Date.now() / 1000) + 3600;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ access_token: token(), expires_on: String(expires), resource: resources.at(-1), token_type: 'Bearer' }));
  });
  t.after(() => http.close());
  return { url: http.url, resources };
}

test('an account without a key is used by identity, and signs with a key lent to it', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'srv-azure-tls-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  try {
    await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '2', ...subject]);
  } catch {
    t.skip('needs openssl');
    return;
  }
  const azurite = await startAzurite({ tls: { cert, key } });
  t.after(() => azurite.close());
  const identity = await managedIdentity(t);
  const { stdout } = await run(process.execPath, [fileURLToPath(import.meta.resolve('./identity-child.js'))], {
    env: {
      PATH: process.env['PATH'],
      NODE_EXTRA_CA_CERTS: cert,
      IDENTITY_ENDPOINT: identity.url,
      IDENTITY_HEADER: 'a-header',
      AZURITE_URL: azurite.url,
      AZURITE_KEY: azurite.accessKey,
    },
  });
  const { expiry, ...found } = JSON.parse(stdout) as Record<string, unknown>;
  assert.deepEqual(found, {
    read: 'by identity',
    walked: ['copied', 'joined', 'object'],
    signedStatus: 200,
    signedBody: 'by identity',
    keyOid: oid,
    sameKey: true,
  });
  assert.ok(Math.abs(Number(expiry) - Date.now() - 3_600_000) < 60_000);
  assert.deepEqual([...new Set(identity.resources)], ['https://storage.azure.com']);
});

test('without any credentials the message says what to configure', async t => {
  const identity = await ScriptedHttp.open((_, response) => response.writeHead(400).end('{"error":"invalid_request"}'));
  const before = { ...process.env };
  t.after(async () => {
    process.env = before;
    await identity.close();
  });
  Object.assign(process.env, { IDENTITY_ENDPOINT: identity.url, IDENTITY_HEADER: 'x', PATH: '' });
  const store = openAzureBlockStore({ domain: 'azurite.test', testEndpointUrl: 'https://127.0.0.1:1/devstoreaccount1' });
  await rejectsWith(() => store.exists(at('x')), 'forbidden', /credentials.*check blockstore\.azure\.storage_account/);
});
