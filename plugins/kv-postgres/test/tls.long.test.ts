/** A server with TLS: what each mode trusts. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { rejectsWith } from '@srv/kernel/testing';
import { bytes, connect, open, withParameters, withPostgres } from './server.js';

await withPostgres(server => {
  test('certificates are verified unless the connection string says otherwise', async t => {
    const folder = await mkdtemp(join(tmpdir(), 'srv-postgres-tls-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    try {
      const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
      execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject, '-keyout', key, '-out', cert], {
        stdio: 'ignore',
      });
    } catch {
      return t.skip('needs openssl');
    }
    if (server.url === process.env.SRV_TEST_POSTGRES_URL) return t.skip('needs a PostgreSQL of its own');
    await useTls(server.url, { 'server.key': await readFile(key, 'utf8'), 'server.crt': await readFile(cert, 'utf8') });

    const works = async (url: string, parameters: Readonly<Record<string, string>>): Promise<void> => {
      const store = await open(withParameters(url, parameters));
      await store.set('p', bytes('k'), bytes('v'));
      assert.equal((await store.get('p', bytes('k')))?.value.toString(), 'v');
      await store.close();
    };
    for (const sslmode of ['verify-full', 'verify-ca', 'require']) {
      await works(server.url, { sslmode, sslrootcert: cert });
      await rejectsWith(() => open(withParameters(server.url, { sslmode })), 'config', /certificate/);
    }
    await works(server.url, { sslmode: 'no-verify' });
    await works(server.url, { sslmode: 'require', uselibpqcompat: 'true' });
    const otherName = server.url.replace('127.0.0.1', 'localhost');
    await rejectsWith(
      () => open(withParameters(otherName, { sslmode: 'verify-full', sslrootcert: cert })),
      'config',
      /certificate|altnames/,
    );

    const client = await connect(withParameters(server.url, { sslmode: 'no-verify' }));
    const { rows } = await client.query<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    assert.deepEqual(rows, [{ ssl: true }]);
    await client.end();
  });
});

/** Has the server write the files into its data folder, where it looks for them, and read its settings again. */
async function useTls(url: string, files: Readonly<Record<string, string>>): Promise<void> {
  const client = await connect(url);
  for (const [name, text] of Object.entries(files)) {
    const encoded = Buffer.from(text).toString('base64');
    await client.query(`COPY (SELECT '${encoded}') TO PROGRAM 'umask 077; base64 -d > ${name}'`);
  }
  await client.query('ALTER SYSTEM SET ssl = on');
  await client.query('SELECT pg_reload_conf()');
  await client.end();
  // The server reads them a little later.
  for (;;) {
    const next = await connect(url);
    const { rows } = await next.query<{ ssl: string }>('SHOW ssl');
    await next.end();
    if (rows[0]?.ssl === 'on') return;
    await setTimeout(20);
  }
}
