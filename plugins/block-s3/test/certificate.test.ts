/** A store whose certificate is not trusted. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { rejectsWith } from '@srv/kernel/testing';
import { at } from './bodies.js';
import { openAt } from './opened.js';
import type { AddressInfo } from 'node:net';

test('an unknown certificate is refused unless checking it is switched off', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'srv-block-s3-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  try {
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=127.0.0.1', '-keyout', key, '-out', cert];
    execFileSync('openssl', request, { stdio: 'ignore' });
  } catch {
    return t.skip('needs openssl');
  }
  const server = createServer({ key: await readFile(key), cert: await readFile(cert) }, (_, response) =>
    response.writeHead(200, { 'content-length': '0', etag: '"e"' }).end(),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const object = at('s3://bucket', 'x');
  const careful = await openAt(url);
  await rejectsWith(() => careful.exists(object), 'unavailable', /self-signed certificate/);
  await careful.close();
  const careless = await openAt(url, { skip_verify_certificate_test_only: true });
  assert.equal(await careless.exists(object), true);
  await careless.close();
  server.closeAllConnections();
});
