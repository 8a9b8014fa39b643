/** The address of invitations, where the web page has its own. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startSrv } from '@srv/test-servers';
import type { TestContext } from 'node:test';

async function open(t: TestContext, plugins: readonly string[]) {
  const srv = await startSrv({
    plugins,
    config: { 'auth.ui_config.rbac': 'internal', 'email.smtp_host': '127.0.0.1', 'email.smtp_port': 9, 'email.sender': 'srv@example.com' },
  });
  t.after(srv.stop);
  return async (path: string) => {
    const response = await fetch(`${srv.url}${path}`, { headers: { accept: 'text/html' } });
    assert.equal(response.status, 200);
    return response.text();
  };
}

it('a user named create has a page as any other user, and links of invitations lead to their form', async t => {
  const visit = await open(t, ['email', 'ui']);
  const document = await visit('/auth/users/ann');
  assert.equal(await visit('/auth/users/create'), document);
  assert.equal(await visit('/auth/users/create?tab=1'), document);
  assert.match(await visit('/auth/users/create?token=abc'), /name="token" value="abc"/);
  assert.match(await visit('/auth/resetpassword'), /name="password"/);
});

it('a server without the web page shows the form', async t => {
  const visit = await open(t, ['email']);
  assert.match(await visit('/auth/users/create'), /name="password"/);
});
