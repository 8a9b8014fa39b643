/** `srv setup` and `srv superuser`, on an installation made by hand. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { installation } from './installation.js';
import { run, startServer } from './programs.js';

const credentials = /^credentials:\n {2}access_key_id: (\S+)\n {2}secret_access_key: (\S+)\n$/;

test('setup makes one administrator, who can work; a second setup is refused', async () => {
  const home = installation('internal');
  const srv = (...args: string[]) => run('srv', [...args, '-c', join(home, 'srv.yaml')], home);
  const first = await srv('setup', '--user-name', 'ann');
  assert.match(first.stdout, credentials, first.stderr);
  assert.equal(first.code, 0);
  const again = await srv('setup', '--user-name', 'bob');
  assert.deepEqual([again.code, again.stdout], [1, 'Setup is already complete.\n']);
  const forced = await srv('setup', '--user-name', 'bob', '--no-check', '--access-key-id', 'AKIA1', '--secret-access-key', 'shh');
  assert.deepEqual([forced.code, forced.stdout], [0, 'credentials:\n  access_key_id: AKIA1\n  secret_access_key: shh\n']);
  const other = await srv('superuser', '--user-name', 'cleo');
  assert.match(other.stdout, credentials);
  const promoted = await srv('superuser', '--user-name', 'bob', '--access-key-id', 'AKIA1');
  assert.deepEqual([promoted.code, promoted.stdout], [0, 'bob is an administrator with the access key AKIA1.\n']);
  const notHers = await srv('superuser', '--user-name', 'ann', '--access-key-id', 'AKIA1');
  assert.deepEqual([notHers.code, notHers.stdout], [1, 'Failed to setup admin user: access key AKIA1 does not belong to user ann\n']);
  const twice = await srv('superuser', '--user-name', 'cleo');
  assert.equal(twice.code, 1);
  assert.match(twice.stdout, /^Failed to setup admin user: .*already exists/i);

  const server = await startServer(home, ['-c', join(home, 'srv.yaml')]);
  try {
    const [, id = '', secret = ''] = credentials.exec(other.stdout) ?? [];
    const env = { CLI_SERVER_ENDPOINT_URL: server.url, CLI_CREDENTIALS_ACCESS_KEY_ID: id, CLI_CREDENTIALS_SECRET_ACCESS_KEY: secret };
    assert.match((await run('cli', ['identity'], home, { env })).stdout, /^User ID: cleo\n/);
    assert.equal((await run('cli', ['auth', 'users', 'list', '-o', 'name'], home, { env })).stdout, 'ann\nbob\ncleo\n');
    const group = await run('cli', ['auth', 'users', 'groups', 'list', '--id', 'cleo'], home, { env });
    assert.match(group.stdout, /^Admins\t/);
  } finally {
    await server.remove();
  }
});

test('half a key, an unknown database and a missing name are refused', async () => {
  const home = installation();
  const srv = (...args: string[]) => run('srv', [...args, '-c', join(home, 'srv.yaml')], home);
  const half = await srv('setup', '--user-name', 'ann', '--access-key-id', 'x');
  assert.deepEqual(
    [half.code, half.stdout],
    [1, 'Setup failed: --access-key-id and --secret-access-key belong together: give both or none\n'],
  );
  assert.equal((await srv('setup')).code, 1);
  writeFileSync(join(home, 'kv'), 'in the way');
  const blocked = await srv('setup', '--user-name', 'ann');
  assert.equal(blocked.code, 1);
  assert.match(blocked.stdout, /^Failed to setup DB: /);
});

test('srv repl has the kernel, its configuration and its services, and does not listen', async () => {
  const home = installation();
  const { code, stdout, stderr } = await run('srv', ['repl', '-c', join(home, 'srv.yaml')], home, {
    input: [
      "console.log(config.show().find(k => k.key === 'auth.ui_config.rbac').value)",
      "const made = await services.get('auth').setup({ username: 'ann' });",
      "console.log((await services.get('auth').listUsers()).results.map(u => u.username).join())",
      'console.log(kernel.plugins.length > 3)',
    ].join('\n'),
  });
  assert.deepEqual([code, stdout], [0, 'none\nann\ntrue\n'], stderr);
  assert.equal((await run('srv', ['repl', '-e', 'throw new Error("x")', '-c', join(home, 'srv.yaml')], home)).code, 1);
});
