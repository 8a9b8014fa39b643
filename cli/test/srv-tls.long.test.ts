/** A server with TLS whose certificate only it knows: its own shell and the client that it writes reach it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { run, startServer } from './programs.js';
import type { RunningServer } from './programs.js';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../plugins/http/test/fixtures/test-only-${name}.pem`, import.meta.url));
const tls = { SRV_TLS_ENABLED: 'true', SRV_TLS_CERT_FILE: fixture('cert'), SRV_TLS_KEY_FILE: fixture('key') };
/** Not of a name by which anything here is reached. */
const elsewhere = { SRV_TLS_CERT_FILE: fixture('elsewhere-cert'), SRV_TLS_KEY_FILE: fixture('elsewhere-key') };

async function repositories(home: string): Promise<string> {
  const { stdout } = await promisify(execFile)(join(home, 'srv', 'bin', 'cli'), ['repo', 'list', '-o', 'name'], {
    env: { PATH: process.env.PATH, HOME: home },
  });
  return stdout;
}

describe('a server with a certificate of its own making', () => {
  let server: RunningServer;
  before(async () => {
    server = await startServer(undefined, undefined, tls);
  });
  after(() => server?.remove());

  test('the shell in it and the client that it writes trust it', async () => {
    assert.match(server.url, /^https:/);
    const { code, stderr } = await run('srv', ['repl', '--local-settings', '-e', 'repo create srv://zoo local://zoo'], server.home, {
      env: tls,
    });
    assert.deepEqual([code, stderr], [0, 'attached to the running server\n']);
    assert.equal(await repositories(server.home), 'zoo\n');
  });

  test('a start with another address leaves localhost in the configuration of the client', async () => {
    const file = join(server.home, 'srv', 'cli.yaml');
    const localhost = (url: string): string => url.replace('127.0.0.1', 'localhost');
    writeFileSync(file, localhost(readFileSync(file, 'utf8')));
    server.signal('SIGTERM');
    await server.ended;
    server = await startServer(server.home, undefined, tls);
    assert.ok(readFileSync(file, 'utf8').includes(`endpoint_url: ${localhost(server.url)}\n`));
    assert.equal(await repositories(server.home), 'zoo\n');
  });
});

describe('a server with a certificate for another name', () => {
  let server: RunningServer;
  before(async () => {
    server = await startServer(undefined, undefined, { ...tls, ...elsewhere });
  });
  after(() => server?.remove());

  test('the shell in it trusts it, and others learn the reason why they do not', async () => {
    const { code, stdout } = await run('srv', ['repl', '--local-settings', '-e', 'identity'], server.home, {
      env: { ...tls, ...elsewhere },
    });
    assert.equal(code, 0);
    assert.match(stdout, /^User ID: +admin\n/);
    await assert.rejects(
      repositories(server.home),
      /cannot reach https:\/\/127\.0\.0\.1:\d+: ERR_TLS_CERT_ALTNAME_INVALID .*; name the certificate of its authority in NODE_EXTRA_CA_CERTS, or use a host name/,
    );
  });
});
