import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MemoryKvStore, until } from '@srv/kernel/testing';
import { equalSecrets, generateAccessKey } from '@srv/lib-auth';
import { readMessage } from '@srv/lib-records';
import fc from 'fast-check';
import {
  credentialKey,
  membersPrefix,
  ownerKey,
  ownersComplete,
  policyKey,
  userKey,
  userPoliciesPrefix,
} from '../src/server/storage/keys.js';
import {
  decodeCredential,
  decodeGroup,
  decodeIndex,
  decodePolicy,
  decodeUser,
  encodeCredential,
  encodeGroup,
  encodeIndex,
  encodePolicy,
  encodeUser,
} from '../src/server/storage/records.js';
import { createSecretBox } from '../src/server/storage/secrets.js';
import { startAuth } from './support/auth-server.js';
import type { Kernel } from '@srv/kernel';
import type { Policy } from '../src/contract.js';

const time = new Date('2024-04-13T19:25:19.250Z');
/** Field 1: seconds 1713036319, nanoseconds 250000000. */
const stamp = '0a0b089fb8ebb00610' + '80e59a77';

describe('stored records', () => {
  it('have the bytes of existing databases', () => {
    const user = {
      createdAt: time,
      username: 'bob',
      friendlyName: '',
      email: 'b@x',
      encryptedPassword: Buffer.alloc(0),
      source: 'internal',
      externalId: '',
    };
    assert.equal(encodeUser(user).toString('hex'), `${stamp}1203626f6222036240783208${Buffer.from('internal').toString('hex')}`);
    assert.equal(encodeGroup({ id: 'G', createdAt: time }).toString('hex'), `${stamp}120147`);
    const credential = { accessKeyId: 'AK', sealedSecret: Buffer.from([1, 2]), issuedAt: time, username: 'bob' };
    assert.equal(encodeCredential(credential).toString('hex'), `0a02414b120201021a${stamp.slice(2)}2203626f62`);
    assert.equal(encodeIndex('users/bob').toString('hex'), `0a09${Buffer.from('users/bob').toString('hex')}`);
    const policy: Policy = { id: 'P', createdAt: time, statement: [{ effect: 'allow', action: ['fs:*'], resource: '*' }], acl: 'Read' };
    assert.equal(encodePolicy(policy).toString('hex'), `${stamp}1201501a100a05616c6c6f77120466733a2a1a012a22060a0452656164`);
  });

  it('come back as they went', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 });
    const when = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
    const effect = fc.constantFrom('allow' as const, 'deny' as const);
    const statement = fc.record(
      { effect, action: fc.array(text, { minLength: 1, maxLength: 3 }), resource: text },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(text, text, when, fc.array(statement, { maxLength: 3 }), fc.uint8Array(), (a, b, date, statements, bytes) => {
        const user = {
          createdAt: date,
          username: a,
          friendlyName: b,
          email: a,
          encryptedPassword: Buffer.from(bytes),
          source: b,
          externalId: a,
        };
        assert.deepEqual(decodeUser(encodeUser(user)), user);
        const group = { id: a, createdAt: date, ...(b === '' ? {} : { description: b }) };
        assert.deepEqual(decodeGroup(encodeGroup(group)), group);
        const credential = { accessKeyId: a, sealedSecret: Buffer.from(bytes), issuedAt: date, username: b };
        assert.deepEqual(decodeCredential(encodeCredential(credential)), credential);
        const policy: Policy = { id: a, createdAt: date, statement: statements };
        assert.deepEqual(decodePolicy(encodePolicy(policy)), policy);
        assert.equal(decodeIndex(encodeIndex(a)), a);
      }),
    );
  });

  it('keep conditions', () => {
    const condition = { IpAddress: { SourceIp: ['10.0.0.0/8', '1.2.3.4'] }, StringLike: { SourceIp: [''] } };
    const policy: Policy = {
      id: 'P',
      createdAt: time,
      statement: [{ effect: 'deny', action: ['fs:A', 'fs:B'], resource: '*', condition }],
    };
    assert.deepEqual(decodePolicy(encodePolicy(policy)), policy);
  });

  it('are read with unknown fields, and rejected when damaged', () => {
    const unknown = Buffer.concat([
      encodeIndex('k'),
      Buffer.from('a00105', 'hex'),
      Buffer.from('a90101020304050607' + '08', 'hex'),
      Buffer.from('b50101020304', 'hex'),
    ]);
    assert.equal(decodeIndex(unknown), 'k');
    for (const bad of ['0a05', '0a', 'ff', '0b', '00'])
      assert.throws(() => readMessage(Buffer.from(bad, 'hex'), 'a record'), { code: 'corrupt' }, bad);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
        try {
          decodePolicy(Buffer.from(bytes));
        } catch (error) {
          assert.equal((error as { code: string }).code, 'corrupt');
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('keys', () => {
  it('have the layout of existing databases', () => {
    assert.equal(userKey('bob'), 'users/bob');
    assert.equal(policyKey('P'), 'policies/P');
    assert.equal(credentialKey('bob', 'AK'), 'uCredentials/bob/credentials/AK');
    assert.equal(membersPrefix('G'), 'gUsers/G/users/');
    assert.equal(userPoliciesPrefix('bob'), 'uPolicies/bob/policies/');
    for (const bad of ['', 'a/b']) assert.throws(() => userKey(bad), { code: 'invalid', message: /validation error/ });
  });
});

describe('access keys that another program wrote', () => {
  const key = { accessKeyId: 'AKIAJOTHER', secretAccessKey: 'a secret' };
  /** A database that was served here before, with a key as programs write it that make no ways back. */
  async function databaseWithKey(): Promise<MemoryKvStore> {
    const kv = new MemoryKvStore();
    const auth = (await startAuth(kv)).services.get('auth');
    await auth.createUser({ username: 'ann' });
    await auth.createCredential('ann', key);
    await kv.delete('auth', Buffer.from(ownerKey(key.accessKeyId)));
    return kv;
  }
  const authenticate = async (kernel: Kernel) => (await kernel.services.get('identity').authenticate({ kind: 'basic', ...key }))?.username;

  it('work after the next start', async () => {
    const kernel = await startAuth(await databaseWithKey());
    assert.equal(await until(() => authenticate(kernel)), 'ann');
  });

  it('work from the first request on where all were loaded', async () => {
    const kv = await databaseWithKey();
    await kv.delete('auth', Buffer.from(ownersComplete));
    assert.equal(await authenticate(await startAuth(kv)), 'ann');
  });

  it('do not keep a server from starting or stopping', async t => {
    const kv = await databaseWithKey();
    const { setIf } = kv;
    t.mock.method(kv, 'setIf', (...args: Parameters<MemoryKvStore['setIf']>) =>
      args[1].toString().startsWith('accessKeyOwners/') ? Promise.reject(new Error('read only')) : setIf.apply(kv, args),
    );
    const kernel = await startAuth(kv);
    assert.equal(await authenticate(kernel), undefined);
    await kernel.stop();
  });
});

describe('secrets', () => {
  it('come back from the box, never twice the same', async () => {
    const box = createSecretBox('key');
    const [a, b] = await Promise.all([box.seal('secret'), box.seal('secret')]);
    assert.equal(await box.open(a), 'secret');
    assert.notDeepEqual(a, b);
    assert.equal(a.length, 8 + 24 + 16 + 6);
  });

  it('stay closed to another key and when touched', async () => {
    const sealed = await createSecretBox('key').seal('secret');
    await assert.rejects(createSecretBox('other').open(sealed), { code: 'corrupt', message: /auth\.encrypt\.secret_key/ });
    for (const at of [0, 10, 40, sealed.length - 1]) {
      const touched = Buffer.from(sealed);
      touched.writeUInt8(touched.readUInt8(at) ^ 1, at);
      await assert.rejects(createSecretBox('key').open(touched), { code: 'corrupt' });
    }
    await assert.rejects(createSecretBox('key').open(Buffer.from('short')), { code: 'corrupt' });
  });

  it('have the shape clients check', () => {
    for (let i = 0; i < 200; i++) {
      const { accessKeyId, secretAccessKey } = generateAccessKey();
      assert.match(accessKeyId, /^AKIAJ[A-Z2-7]{14}Q$/);
      assert.equal(Buffer.from(secretAccessKey, 'base64').length, 30);
      assert.equal(secretAccessKey.length, 40);
    }
    assert.ok(equalSecrets('a', 'a') && !equalSecrets('a', 'b') && !equalSecrets('a', 'ab') && equalSecrets('', ''));
  });
});
