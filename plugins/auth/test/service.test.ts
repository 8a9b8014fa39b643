import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { definePlugin } from '@srv/kernel';
import { MemoryKvStore } from '@srv/kernel/testing';
import { createTestMetrics } from '@srv/metrics/testing';
import { encodeCredential, encodeIndex, encodeUser } from '../src/server/storage/records.js';
import { createSecretBox } from '../src/server/storage/secrets.js';
import { startAuth } from './support/auth-server.js';
import type { Kernel, Logger, Plugin } from '@srv/kernel';
import type { AuthMode, AuthService } from '../src/contract.js';

const key = { accessKeyId: 'AKIAJGIVENKEY', secretAccessKey: 'given secret' };

interface Started {
  readonly auth: AuthService;
  readonly kernel: Kernel;
  readonly kv: MemoryKvStore;
}

async function start(
  mode: AuthMode,
  {
    kv = new MemoryKvStore(),
    settings = {},
    further = [],
  }: { kv?: MemoryKvStore; settings?: Record<string, unknown>; further?: readonly Plugin[] } = {},
): Promise<Started> {
  const kernel = await startAuth(kv, mode, settings, further);
  return { auth: kernel.services.get('auth'), kernel, kv };
}

const may = async ({ kernel, auth }: Started, username: string, action: string, resource: string): Promise<boolean | undefined> =>
  (await kernel.services.get('identity').authorize({ user: await auth.getUser(username), permission: { action, resource } })).allowed;
const repository = 'arn:lakefs:fs:::repository/r';

describe('metrics', () => {
  it('time requests by method, for any user, and count those that fail', async () => {
    const { plugin, scrape } = createTestMetrics();
    const started = await start('internal', { further: [plugin] });
    const { auth, kernel } = started;
    await auth.setup({ username: 'admin', key });
    await assert.rejects(auth.getUser('nobody'));
    await assert.rejects(auth.getUser('somebody'));
    assert.equal(await may(started, 'admin', 'fs:ReadRepository', repository), true);
    await kernel.services.get('identity').authenticate({ kind: 'basic', ...key });
    assert.equal(auth.supports('policies'), true);
    const page = await scrape();
    const count = (operation: string, success: string) => page.value('auth_request_duration_seconds_count', { operation, success });
    const [found, failed] = [count('getUser', 'success'), count('getUser', 'failure')];
    assert.deepEqual([found, failed, count('authorize', 'success'), count('authenticate', 'success')], [1, 2, 1, 1]);
    const named = page.samples('auth_request_duration_seconds_count').map(({ labels }) => labels['operation'] ?? '');
    assert.deepEqual(
      named.filter(operation => !(operation in auth) && !['authorize', 'authenticate'].includes(operation)),
      [],
    );
  });
});

describe('setting up', () => {
  for (const mode of ['none', 'simplified', 'internal'] as const) {
    it(`gives an administrator created first all rights, in mode ${mode}`, async () => {
      const started = await start(mode);
      const { auth } = started;
      await auth.createAdministrator('early', key);
      assert.equal(await may(started, 'early', 'fs:DeleteRepository', repository), true);
      assert.equal((await auth.setupState()).initialized, false);
      await assert.rejects(auth.createAdministrator('early'), { code: 'not_unique', message: 'Already exists' });
      await auth.setup({ username: 'root' });
      assert.equal(await may(started, 'root', 'fs:DeleteRepository', repository), true);
      assert.equal(await may(started, 'early', 'fs:DeleteRepository', repository), true);
    });
  }

  for (const mode of ['none', 'simplified', 'internal'] as const) {
    it(`creates one administrator, once, in mode ${mode}`, async () => {
      const started = await start(mode);
      const { auth, kernel, kv } = started;
      assert.deepEqual(await auth.setupState(), { initialized: false, preferencesMissing: false });
      await assert.rejects(auth.setup({ username: '' }), { code: 'invalid', message: 'empty user display name' });
      const created = await auth.setup({ username: 'root', key });
      assert.equal(created.secretAccessKey, key.secretAccessKey);
      await assert.rejects(auth.setup({ username: 'other' }), { code: 'not_unique', message: 'lakeFS already initialized' });
      assert.deepEqual(await auth.setupState(), { initialized: true, preferencesMissing: true });
      assert.equal(await may(started, 'root', 'auth:CreateUser', 'arn:lakefs:auth:::user/x'), true);
      const user = await kernel.services.get('identity').authenticate({ kind: 'basic', ...key });
      assert.equal(user?.username, 'root');
      const again = await start(mode, { kv });
      assert.equal(again.auth.installationId, auth.installationId);
      assert.equal((await again.auth.setupState()).initialized, true);
      const admin = await again.auth.createAdministrator('second');
      const signed = {
        kind: 'signature' as const,
        accessKeyId: admin.accessKeyId,
        check: (secret: string) => secret === admin.secretAccessKey,
      };
      assert.equal((await again.kernel.services.get('identity').authenticate(signed))?.username, 'second');
      assert.equal(await again.kernel.services.get('identity').authenticate({ ...signed, check: () => false }), undefined);
      assert.equal(await may(again, 'second', 'fs:DeleteRepository', repository), true);
      const version = await kv.get('kv-internal-metadata', Buffer.from('kv/schema/version'));
      assert.equal(version?.value.toString(), '4');
    });
  }

  for (const mode of ['none', 'simplified', 'internal'] as const) {
    it(`makes an administrator of a user by an access key that is there, in mode ${mode}`, async () => {
      const started = await start(mode);
      const { auth } = started;
      await auth.setup({ username: 'root' });
      await auth.createUser({ username: 'old' });
      const { accessKeyId } = await auth.createCredential('old');
      assert.equal(await may(started, 'old', 'fs:DeleteRepository', repository), mode === 'none');
      await assert.rejects(auth.promoteOwner('root', accessKeyId), { code: 'invalid', message: /does not belong to user root/ });
      await assert.rejects(auth.promoteOwner('old', 'unknown'), { code: 'not_found', message: 'credentials not found: unknown' });
      await auth.promoteOwner('old', accessKeyId);
      await auth.promoteOwner('old', accessKeyId);
      assert.equal(await may(started, 'old', 'fs:DeleteRepository', repository), true);
    });
  }

  it('takes the first user from the configuration with an embedded database', async () => {
    const settings = { 'installation.user_name': 'first', 'installation.access_key_id': 'AK', 'installation.secret_access_key': 'SK' };
    const { auth, kv } = await start('none', { settings });
    assert.equal((await auth.logIn({ accessKeyId: 'AK', secretAccessKey: 'SK' })).user.username, 'first');
    await start('none', { kv, settings: { ...settings, 'installation.user_name': 'changed' } });
    await assert.rejects(auth.getUser('changed'), { code: 'not_found' });
    const remote = await start('none', { kv: new MemoryKvStore('postgres'), settings });
    assert.equal((await remote.auth.setupState()).initialized, false);
    const incomplete = await start('none', { settings: { 'installation.user_name': 'first' } });
    assert.equal((await incomplete.auth.setupState()).initialized, false);
  });

  for (const mode of ['none', 'simplified', 'internal'] as const) {
    const settings = { 'installation.user_name': 'first', 'installation.access_key_id': 'AK', 'installation.secret_access_key': 'SK' };

    it(`lets workers that share an embedded database make the first user together, in mode ${mode}`, async () => {
      const kv = Object.assign(new MemoryKvStore('local', true), { isSharedWithPeers: true });
      const workers = await Promise.all([1, 2, 3].map(() => start(mode, { kv, settings })));
      for (const worker of workers) {
        assert.equal((await worker.auth.logIn({ accessKeyId: 'AK', secretAccessKey: 'SK' })).user.username, 'first');
        assert.equal(await may(worker, 'first', 'fs:DeleteRepository', 'arn:lakefs:fs:::repository/any'), true);
      }
    });

    it(`completes a first user whose setup stopped at any write, in mode ${mode}`, async () => {
      for (let writes = 0, isDone = false; !isDone; writes++) {
        const kv = new InterruptedKv(writes);
        isDone = await start(mode, { kv, settings }).then(
          () => true,
          () => false,
        );
        kv.left = Number.POSITIVE_INFINITY;
        const again = await start(mode, { kv, settings });
        assert.equal(
          (await again.auth.logIn({ accessKeyId: 'AK', secretAccessKey: 'SK' })).user.username,
          'first',
          `after ${writes} writes`,
        );
        assert.equal(await may(again, 'first', 'fs:DeleteRepository', 'arn:lakefs:fs:::repository/any'), true, `after ${writes} writes`);
        assert.ok(writes < 200);
      }
    });
  }

  it('keeps the administrator of mode none where older programs look', async () => {
    const { auth, kv } = await start('none');
    await auth.setup({ username: 'root', key });
    assert.ok(await kv.get('basicAuth', Buffer.from('users/superAdmin')));
    assert.ok(await kv.get('basicAuth', Buffer.from(`uCredentials/superAdmin/credentials/${key.accessKeyId}`)));
  });

  it('remembers preferences, and rejects invalid addresses', async () => {
    const { auth, kv } = await start('none');
    await assert.rejects(auth.setup({ username: 'root', preferences: { email: 'nobody' } }), {
      code: 'invalid',
      message: /invalid email address/,
    });
    await auth.setup({ username: 'root', preferences: { email: 'a@b.org', featureUpdates: true } });
    assert.equal((await auth.setupState()).preferencesMissing, false);
    const stored = await kv.get('auth', Buffer.from('installation_metadata/encoded_user_email'));
    assert.equal(Buffer.from(String(stored?.value), 'base64').toString(), 'a@b.org');
  });

  it('needs another plugin for mode external', async () => {
    await assert.rejects(start('external'), {
      message: /auth\.ui_config\.rbac: no enabled plugin opens "external".*\(choose one of internal, none, simplified\)/,
    });
  });
});

describe('users and credentials', () => {
  for (const mode of ['none', 'simplified', 'internal'] as const) {
    it(`come and go in mode ${mode}`, async () => {
      const { auth, kernel } = await start(mode);
      await auth.setup({ username: 'root', key });
      await auth.createUser({ username: 'zoe', email: 'z@x.org' });
      await assert.rejects(auth.createUser({ username: 'zoe' }), { code: 'not_unique', message: 'Already exists' });
      await assert.rejects(auth.createUser({ username: 'root' }), { code: 'not_unique' });
      await assert.rejects(auth.createUser({ username: '100%' }), { code: 'invalid', message: "User name cannot contain '%'" });
      await assert.rejects(auth.createUser({ username: 'a\0' }), { code: 'invalid', message: /"a\\u0000" cannot contain control/ });
      await assert.rejects(auth.createUser({ username: 'ü'.repeat(257) }), { code: 'invalid', message: /has 514 bytes, allowed: 512/ });
      await assert.rejects(auth.createUser({ username: '..' }), { code: 'invalid', message: /choose one that is not \. or \.\./ });
      await assert.rejects(auth.createUser({ username: 'a/b' }), { code: 'invalid', message: /validation error/ });
      await auth.createUser({ username: 'amy' });
      assert.deepEqual(
        (await auth.listUsers()).results.map(u => u.username),
        ['amy', 'root', 'zoe'],
      );
      assert.deepEqual(await auth.listUsers({ amount: 2 }).then(p => [p.results.map(u => u.username), p.hasMore, p.nextOffset]), [
        ['amy', 'root'],
        true,
        'root',
      ]);
      assert.deepEqual(
        (await auth.listUsers({ after: 'root' })).results.map(u => u.username),
        ['zoe'],
      );
      assert.deepEqual(
        (await auth.listUsers({ prefix: 'r' })).results.map(u => u.username),
        ['root'],
      );

      const first = await auth.createCredential('zoe');
      const second = await auth.createCredential('zoe');
      assert.equal((await auth.listCredentials('zoe')).results.length, 2);
      assert.equal('secretAccessKey' in (await auth.getCredential('zoe', first.accessKeyId)), false);
      await assert.rejects(auth.createCredential('amy', key), { code: 'not_unique' });
      for (const accessKeyId of ['a:b', 'a b', 'ü', 'a/b', ''])
        await assert.rejects(auth.createCredential('amy', { ...key, accessKeyId }), { code: 'invalid', message: /without spaces, colons/ });
      await assert.rejects(auth.createCredential('nobody'), { code: 'not_found', message: /user not found/ });
      await assert.rejects(auth.getCredential('zoe', 'AKIA'), { code: 'not_found', message: /credentials not found/ });
      assert.equal((await kernel.services.get('identity').authenticate({ kind: 'basic', ...first }))?.email, 'z@x.org');
      assert.equal(
        await kernel.services
          .get('identity')
          .authenticate({ kind: 'basic', accessKeyId: first.accessKeyId, secretAccessKey: second.secretAccessKey }),
        undefined,
      );

      await auth.deleteCredential('zoe', first.accessKeyId);
      assert.equal(await kernel.services.get('identity').authenticate({ kind: 'basic', ...first }), undefined);
      const { token } = await auth.logIn(second);
      assert.equal((await kernel.services.get('identity').authenticate({ kind: 'token', token }))?.username, 'zoe');
      await auth.deleteUser('zoe');
      assert.equal(await kernel.services.get('identity').authenticate({ kind: 'token', token }), undefined);
      assert.equal(await kernel.services.get('identity').authenticate({ kind: 'basic', ...second }), undefined);
      const signature = { kind: 'signature' as const, accessKeyId: second.accessKeyId, check: () => true };
      assert.equal(await kernel.services.get('identity').authenticate(signature), undefined);
      await auth.createUser({ username: 'zoe' });
      assert.deepEqual((await auth.listCredentials('zoe')).results, []);
    });
  }

  it('rejects logins without revealing why', async () => {
    const { auth } = await start('none');
    await auth.setup({ username: 'root', key });
    for (const wrong of [
      { ...key, secretAccessKey: 'x' },
      { ...key, accessKeyId: 'x' },
      { accessKeyId: '', secretAccessKey: '' },
      { accessKeyId: 'a/b', secretAccessKey: '' },
    ]) {
      await assert.rejects(auth.logIn(wrong), { code: 'unauthenticated', message: 'error authenticating request' });
    }
  });

  it('limits the lifetime of a token', async () => {
    const { auth } = await start('none', { settings: { 'auth.login_duration': '1h', 'auth.login_max_duration': '2h' } });
    await auth.createUser({ username: 'x' });
    for (const [minutes, duration] of [
      [60, undefined],
      [90, 90 * 60_000],
      [120, 1e9],
    ] as const) {
      const [earliest, { expiresAt }, latest] = [Date.now(), await auth.issueToken('x', duration), Date.now()];
      // Times in tokens have seconds.
      const began = expiresAt.getTime() - minutes * 60_000;
      assert.ok(began > earliest - 1000 && began <= latest, `${minutes} minutes: ${expiresAt.toISOString()}`);
    }
  });

  it('finds keys of databases without an index', async () => {
    const kv = new MemoryKvStore();
    const now = new Date();
    const record = {
      createdAt: now,
      username: 'old',
      friendlyName: '',
      email: '',
      encryptedPassword: Buffer.alloc(0),
      source: 'internal',
      externalId: '',
    };
    await kv.set('auth', Buffer.from('users/old'), encodeUser(record));
    const sealedSecret = await createSecretBox('test').seal('old secret');
    await kv.set(
      'auth',
      Buffer.from('uCredentials/old/credentials/AKOLD'),
      encodeCredential({ accessKeyId: 'AKOLD', sealedSecret, issuedAt: now, username: 'old' }),
    );
    const { auth } = await start('internal', { kv });
    assert.equal((await auth.logIn({ accessKeyId: 'AKOLD', secretAccessKey: 'old secret' })).user.username, 'old');
  });
});

describe('groups and policies', () => {
  const everything = [{ effect: 'allow' as const, action: ['fs:*'], resource: '*' }];

  it('decide in mode internal', async () => {
    const started = await start('internal');
    const { auth, kv } = started;
    await auth.setup({ username: 'root', key });
    assert.deepEqual(
      (await auth.listGroups()).results.map(g => g.id),
      ['Admins', 'Developers', 'SuperUsers', 'Viewers'],
    );
    assert.equal((await auth.listPolicies()).results.length, 10);
    await auth.createUser({ username: 'eve' });
    assert.equal(await may(started, 'eve', 'fs:ReadRepository', repository), false);
    await assert.rejects(auth.visibility(await auth.getUser('eve'), 'fs:ListRepositories'), {
      code: 'denied',
      message: 'insufficient permissions',
    });

    await auth.addMember('Viewers', 'eve');
    await assert.rejects(auth.addMember('Viewers', 'eve'), { code: 'not_unique' });
    assert.equal(await may(started, 'eve', 'fs:ReadRepository', repository), true);
    assert.equal(await may(started, 'eve', 'fs:CreateRepository', repository), false);
    assert.equal(await may(started, 'eve', 'auth:CreateCredentials', 'arn:lakefs:auth:::user/eve'), true);
    assert.equal(await may(started, 'eve', 'auth:CreateCredentials', 'arn:lakefs:auth:::user/root'), false);
    assert.deepEqual(
      (await auth.listUserGroups('eve')).results.map(g => g.id),
      ['Viewers'],
    );
    assert.deepEqual(
      (await auth.listMembers('Viewers')).results.map(u => u.username),
      ['eve'],
    );

    await auth.createPolicy('Extra', everything);
    await auth.attachToUser('eve', 'Extra');
    assert.equal(await may(started, 'eve', 'fs:CreateRepository', repository), true);
    assert.deepEqual(
      (await auth.listUserPolicies('eve')).results.map(p => p.id),
      ['Extra'],
    );
    assert.deepEqual(
      (await auth.listUserPolicies('eve', { effective: true })).results.map(p => p.id),
      ['AuthManageOwnCredentials', 'CatalogReadAll', 'Extra', 'FSReadAll'],
    );
    await auth.updatePolicy('Extra', [{ effect: 'deny', action: ['fs:*'], resource: '*' }]);
    assert.equal(await may(started, 'eve', 'fs:ReadRepository', repository), false);
    await auth.deletePolicy('Extra');
    assert.equal(await may(started, 'eve', 'fs:ReadRepository', repository), true);
    assert.deepEqual((await auth.listUserPolicies('eve')).results, []);

    await auth.removeMember('Viewers', 'eve');
    assert.equal(await may(started, 'eve', 'fs:ReadRepository', repository), false);
    await auth.addMember('Viewers', 'eve');
    await auth.deleteUser('eve');
    assert.deepEqual((await auth.listMembers('Viewers')).results, []);
    await kv.set('auth', Buffer.from('gUsers/Viewers/users/ghost'), encodeIndex('users/ghost'));
    assert.deepEqual((await auth.listMembers('Viewers')).results, []);
    await auth.deleteGroup('Viewers');
    await assert.rejects(auth.getGroup('Viewers'), { code: 'not_found', message: /group not found/ });
    await start('internal', { kv });
    await assert.rejects(auth.getGroup('Viewers'), { code: 'not_found' }, 'presets do not come back');

    for (const call of [
      () => auth.getPolicy('none'),
      () => auth.updatePolicy('none', everything),
      () => auth.deletePolicy('none'),
      () => auth.attachToGroup('Admins', 'none'),
    ]) {
      await assert.rejects(call(), { code: 'not_found', message: /policy not found/ });
    }
    await assert.rejects(auth.createPolicy('Bad', [{ effect: 'allow', action: ['nope:X'], resource: '*' }]), { code: 'invalid' });
    await assert.rejects(auth.getGroupAcl('Admins'), { code: 'unsupported' });
  });

  it('are permissions of groups in mode simplified', async () => {
    const started = await start('simplified');
    const { auth } = started;
    await auth.setup({ username: 'root', key });
    assert.deepEqual(
      (await auth.listGroups()).results.map(g => g.id),
      ['Admins', 'Readers', 'Supers', 'Writers'],
    );
    assert.equal(await auth.getGroupAcl('Readers'), 'Read');
    await auth.createGroup('team', 'people');
    assert.equal(await auth.getGroupAcl('team'), undefined);
    await auth.createUser({ username: 'eve' });
    await auth.addMember('team', 'eve');
    await assert.rejects(auth.setGroupAcl('team', 'Root'), { code: 'invalid' });
    await assert.rejects(auth.setGroupAcl('none', 'Read'), { code: 'not_found' });
    const rights = async (): Promise<(boolean | undefined)[]> => [
      await may(started, 'eve', 'fs:ReadObject', repository),
      await may(started, 'eve', 'fs:CreateBranch', repository),
      await may(started, 'eve', 'fs:DeleteRepository', repository),
      await may(started, 'eve', 'auth:ListUsers', '*'),
    ];
    for (const [permission, expected] of [
      ['Read', [true, false, false, false]],
      ['Write', [true, true, false, false]],
      ['Super', [true, true, true, false]],
      ['Admin', [true, true, true, true]],
      ['Read', [true, false, false, false]],
    ] as const) {
      await auth.setGroupAcl('team', permission);
      assert.equal(await auth.getGroupAcl('team'), permission);
      assert.deepEqual(await rights(), [...expected], permission);
    }
    await assert.rejects(auth.listPolicies(), { code: 'unsupported', message: 'Not Implemented' });
  });

  it('do not exist in mode none, where everybody may do everything', async () => {
    const started = await start('none');
    const { auth } = started;
    await auth.setup({ username: 'root', key });
    await auth.createUser({ username: 'eve' });
    assert.equal(await may(started, 'eve', 'fs:DeleteRepository', repository), true);
    for (const call of [
      () => auth.createGroup('g'),
      () => auth.listPolicies(),
      () => auth.setGroupAcl('g', 'Read'),
      () => auth.addMember('g', 'eve'),
    ]) {
      await assert.rejects(call(), { code: 'unsupported', message: 'Not Implemented' });
    }
  });

  it('appear when an installation changes its mode', async () => {
    const { auth, kv } = await start('simplified');
    await auth.setup({ username: 'root', key });
    const changed = await start('internal', { kv });
    assert.equal((await changed.auth.listPolicies({ prefix: 'FS' })).results.length, 3);
  });
});

/** A store whose program is killed after a number of writes. */
class InterruptedKv extends MemoryKvStore {
  left: number;

  constructor(writes: number) {
    super();
    this.left = writes;
  }

  override async set(...[partition, key, value]: Parameters<MemoryKvStore['set']>): Promise<void> {
    this.#count();
    await super.set(partition, key, value);
  }

  override async setIf(...[partition, key, value, condition]: Parameters<MemoryKvStore['setIf']>): Promise<boolean> {
    this.#count();
    return super.setIf(partition, key, value, condition);
  }

  override async delete(...[partition, key]: Parameters<MemoryKvStore['delete']>): Promise<void> {
    this.#count();
    await super.delete(partition, key);
  }

  /** The next program opens it again. */
  override async close(): Promise<void> {}

  #count(): void {
    if (--this.left < 0) throw new Error('the program is killed here');
  }
}

it('an installation without an administrator says so in the log when it starts with groups, and what to do', async () => {
  const warnings: string[] = [];
  const quiet = (): void => undefined;
  const logger: Logger = {
    trace: quiet,
    debug: quiet,
    info: quiet,
    warn: (_fields: object, message: string) => void warnings.push(message),
    error: quiet,
    child: () => logger,
  } as Logger;
  const recorder = definePlugin({
    name: 'recorder',
    apply: ({ hooks, services }) => hooks.configured.tapPromise('recorder', async () => services.provide('log', logger)),
  });
  const { auth, kv } = await start('none', { further: [recorder] });
  await auth.setup({ username: 'ann' });
  const second = await start('internal', { kv, further: [recorder] });
  assert.deepEqual(warnings.filter(line => line.startsWith('no user is an administrator, ')).length, 1);
  // Login pages and programs learn it from the state of the setup.
  assert.match((await second.auth.setupState()).notice ?? '', /no user is an administrator, .* srv superuser/);
  assert.equal((await auth.setupState()).notice, undefined);
  await second.auth.createAdministrator('bob');
  assert.equal((await second.auth.setupState()).notice, undefined);
  warnings.length = 0;
  await start('internal', { kv, further: [recorder] });
  assert.deepEqual(warnings, []);
});
