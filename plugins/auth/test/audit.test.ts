/** Changes of identity on a whole server: their lines in the log, and how soon they hold. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { definePlugin } from '@srv/kernel';
import { MemoryKvStore } from '@srv/kernel/testing';
import { startSrv } from '@srv/test-servers';
import { startAuth } from './support/auth-server.js';
import type { Kernel, Logger } from '@srv/kernel';
import type { AuthService } from '../src/contract.js';

interface Line extends Record<string, unknown> {
  readonly message: string;
}

/** Keeps what is logged. */
function recorder() {
  const lines: Line[] = [];
  const logger = (fixed: Record<string, unknown>): Logger => {
    const write = (fields: object, message: string): void => void lines.push({ ...fixed, ...fields, message });
    return { trace: write, debug: write, info: write, warn: write, error: write, child: more => logger({ ...fixed, ...more }) } as Logger;
  };
  const plugin = definePlugin({
    name: 'recorder',
    apply: ({ hooks, services }) => hooks.configured.tapPromise('recorder', async () => services.provide('log', logger({}))),
  });
  return { lines, plugin };
}

describe('changes of identity', () => {
  it('each leave a line that says who changed what, in which request, and no secret', async t => {
    const { lines, plugin } = recorder();
    const srv = await startSrv({ inline: [{ plugin }], config: { 'auth.ui_config.rbac': 'internal' } });
    t.after(() => srv.stop());
    const authorization = `Basic ${Buffer.from(`${srv.key.accessKeyId}:${srv.key.secretAccessKey}`).toString('base64')}`;
    const statement = [{ effect: 'allow', action: ['fs:*'], resource: '*' }];
    const secrets: string[] = [srv.key.secretAccessKey];
    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${srv.url}/api/v1${path}`, {
        method,
        headers: { authorization, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const text = await response.text();
      const { secret_access_key: secret, access_key_id: id = '' } = (text === '' ? {} : JSON.parse(text)) as Record<string, string>;
      if (secret !== undefined) secrets.push(secret);
      return { id, requestId: response.headers.get('x-request-id'), status: response.status };
    };
    const { requestId } = await call('POST', '/auth/users', { id: 'ann' });
    const { id } = await call('POST', '/auth/users/ann/credentials');
    await call('POST', '/auth/groups', { id: 'team' });
    await call('PUT', '/auth/groups/team/members/ann');
    await call('POST', '/auth/policies', { id: 'all', statement });
    await call('PUT', '/auth/policies/all', { id: 'all', statement });
    await call('PUT', '/auth/users/ann/policies/all');
    await call('DELETE', '/auth/users/ann/policies/all');
    await call('DELETE', '/auth/users/ann/sessions');
    await call('DELETE', `/auth/users/ann/credentials/${id}`);
    assert.equal((await call('DELETE', '/auth/users/nobody')).status, 404);
    await call('GET', '/auth/users');
    await call('DELETE', '/auth/users/ann');
    const changes = lines.filter(({ message }) => message === 'identity changed');
    assert.deepEqual(
      changes.map(({ change, user, userId, groupId, policyId, accessKeyId, created }) => [
        change,
        user,
        userId ?? groupId ?? policyId,
        accessKeyId ?? created,
      ]),
      [
        ['createUser', 'admin', undefined, 'ann'],
        ['createCredentials', 'admin', 'ann', id],
        ['createGroup', 'admin', undefined, 'team'],
        ['addGroupMembership', 'admin', 'ann', undefined],
        ['createPolicy', 'admin', undefined, 'all'],
        ['updatePolicy', 'admin', 'all', undefined],
        ['attachPolicyToUser', 'admin', 'ann', undefined],
        ['detachPolicyFromUser', 'admin', 'ann', undefined],
        ['revokeSessions', 'admin', 'ann', undefined],
        ['deleteCredentials', 'admin', 'ann', id],
        ['deleteUser', 'admin', 'ann', undefined],
      ],
    );
    assert.equal(changes[0]?.['request_id'], requestId);
    assert.equal(secrets.length, 2);
    const written = JSON.stringify(lines);
    for (const secret of secrets) assert.equal(written.includes(secret), false);
  });
});

describe('changes of one server', () => {
  const cached = 40;

  /** A server beside others on one database. */
  async function start(kv: MemoryKvStore, t: { after(work: () => Promise<void>): void }): Promise<Kernel> {
    const kernel = await startAuth(kv, 'internal', { 'auth.cache.ttl': `${cached}ms`, 'auth.cache.jitter': '0' });
    t.after(() => kernel.stop().catch(() => undefined));
    return kernel;
  }

  it('holds there at once, and on others of the database once their caches have forgotten', async t => {
    const kv = new MemoryKvStore();
    const [here, there] = [await start(kv, t), await start(kv, t)];
    const auth: AuthService = here.services.get('auth');
    await auth.setup({ username: 'root' });
    await auth.createUser({ username: 'ann' });
    const key = await auth.createCredential('ann');
    await auth.createPolicy('read', [{ effect: 'allow', action: ['fs:Read*'], resource: '*' }]);
    await auth.attachToUser('ann', 'read');
    const { token } = await auth.issueToken('ann');
    const permission = { action: 'fs:ReadObject', resource: 'arn:lakefs:fs:::repository/r/object/o' };
    const mayRead = async (kernel: Kernel): Promise<boolean> =>
      (await kernel.services.get('identity').authorize({ user: { username: 'ann', createdAt: new Date() }, permission })).allowed;
    const known = async (kernel: Kernel, credentials: Parameters<ReturnType<typeof identity>['authenticate']>[0]): Promise<boolean> =>
      (await identity(kernel).authenticate(credentials)) !== undefined;
    const checks: readonly [name: string, check: (kernel: Kernel) => Promise<boolean>, change: () => Promise<unknown>][] = [
      ['an attachment', mayRead, () => auth.detachFromUser('ann', 'read')],
      ['a session', kernel => known(kernel, { kind: 'token', token }), () => auth.revokeSessions('ann')],
      ['an access key', kernel => known(kernel, { kind: 'basic', ...key }), () => auth.deleteCredential('ann', key.accessKeyId)],
    ];
    for (const [name, check, change] of checks) {
      assert.deepEqual([await check(here), await check(there)], [true, true], name);
      await change();
      assert.equal(await check(here), false, `${name}: here, at once`);
      for (let n = 0; await check(there); n++) {
        assert.ok(n < 500, `${name}: elsewhere, some time`);
        await sleep(cached / 4);
      }
    }
  });

  const identity = (kernel: Kernel) => kernel.services.get('identity');
});
