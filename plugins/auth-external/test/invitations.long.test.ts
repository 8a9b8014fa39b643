/** People with passwords whose accounts are another server's: invited by this server, or by that one. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { startSrv } from '@srv/test-servers';
import { startSmtp } from '@srv/test-servers/smtp';
import type { TestContext } from 'node:test';
import type { RunningSrv } from '@srv/test-servers';

const needs = ['email', 'auth-service'].filter(name => !existsSync(new URL(`../../../${name}`, import.meta.url)));
const skip = needs.length > 0 ? `needs ${needs.join(', ')}` : false;

async function start(t: TestContext, mailsHere: boolean) {
  const smtp = await startSmtp({ open: true });
  const mail = { 'email.smtp_host': '127.0.0.1', 'email.smtp_port': Number(new URL(smtp.url).port), 'email.sender': 'srv@example.com' };
  const directory = await startSrv({
    plugins: ['auth-service', 'email'],
    config: { 'auth.ui_config.rbac': 'internal', 'auth.service.enabled': true, ...(mailsHere ? {} : mail) },
  });
  const srv = await startSrv({
    plugins: ['auth-external', 'email'],
    config: {
      'auth.ui_config.rbac': 'external',
      'auth.api.endpoint': `${directory.url}/authorization/v1`,
      ...(mailsHere ? mail : { 'auth.api.supports_invites': true }),
    },
  });
  t.after(async () => {
    await srv.stop();
    await directory.stop();
    await smtp.close();
  });
  return { smtp, srv, directory };
}

async function post({ url, key }: RunningSrv, path: string, body: object): Promise<number> {
  const authorization = `Basic ${Buffer.from(`${key.accessKeyId}:${key.secretAccessKey}`).toString('base64')}`;
  const headers = { 'content-type': 'application/json', authorization };
  return (await fetch(`${url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
}

describe('invitations of external users', { skip }, () => {
  for (const mailsHere of [true, false]) {
    it(mailsHere ? 'are sent by this server' : 'are sent by the service', async t => {
      const { smtp, srv, directory } = await start(t, mailsHere);
      assert.equal(await post(srv, '/auth/users', { id: 'Ann@Example.com', invite_user: true }), 201);
      assert.equal(await post(srv, '/auth/users', { id: 'Bob <bob@example.com>', invite_user: true }), 400);
      assert.equal(smtp.received.length, 1);
      const raw = smtp.received[0]?.raw.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=') ?? '';
      const token = /token=([\w.-]+)/.exec(raw)?.[1] ?? '';
      const invited = mailsHere ? srv : directory;
      assert.equal(await post(invited, '/auth/password', { token, new_password: 'long enough' }), 201);
      assert.equal(await post(invited, '/auth/password', { token, new_password: 'long enough' }), 401);
      const logIn = (server: RunningSrv) =>
        post(server, '/auth/login', { access_key_id: 'ann@example.com', secret_access_key: 'long enough' });
      assert.deepEqual([await logIn(srv), await logIn(directory)], [200, 200]);
    });
  }
});
