import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { purposeTokens, signLogin } from '@srv/lib-auth';
import {
  decodeGroup,
  decodePolicy,
  decodeUser,
  encodeUser,
  isServiceToken,
  mintServiceToken,
  plainUser,
  readWire,
  wireGroup,
  wirePage,
  wirePolicy,
  wireUser,
} from '../../src/authorization/index.js';

describe('the wire', () => {
  it('spells users as existing services do', () => {
    const account = {
      username: 'ann',
      createdAt: new Date(5000),
      friendlyName: 'Ann',
      email: 'a@b',
      source: 'oidc',
      externalId: 'x',
      encryptedPassword: '$2b$hash',
    };
    const wire = {
      username: 'ann',
      creation_date: 5,
      friendly_name: 'Ann',
      email: 'a@b',
      source: 'oidc',
      encryptedPassword: 'JDJiJGhhc2g=',
      external_id: 'x',
    };
    assert.deepEqual(encodeUser(account), wire);
    assert.deepEqual(decodeUser(readWire(wireUser, { ...wire, id: 17, later: true }, 'user')), account);
    assert.deepEqual(encodeUser({ ...account, inactive: true }), { ...wire, active: false });
    assert.deepEqual(decodeUser(readWire(wireUser, { ...wire, active: false }, 'user')), { ...account, inactive: true });
    const { source: _, externalId: __, encryptedPassword: ___, ...plain } = account;
    assert.deepEqual(plainUser(account), plain);
    assert.deepEqual(plainUser({ ...account, inactive: true }), { ...plain, inactive: true });
    for (const active of [true, null]) assert.deepEqual(decodeUser(readWire(wireUser, { ...wire, active }, 'user')), account);
  });

  it('takes null for absent, and a group by the ID it has of its own', () => {
    const group = readWire(wireGroup, { id: 'g-17', name: 'readers', description: null, creation_date: 1 }, 'group');
    assert.deepEqual(decodeGroup(group), { id: 'g-17', createdAt: new Date(1000) });
    assert.equal(decodeGroup({ name: 'readers', creation_date: 1 }).id, 'readers');
    const statement = [{ effect: 'allow', action: ['fs:*'], resource: '*', condition: null }];
    assert.deepEqual(decodePolicy(readWire(wirePolicy, { name: 'p', statement }, 'policy')).statement, [
      { effect: 'allow', action: ['fs:*'], resource: '*' },
    ]);
  });

  it('refuses what has another shape', () => {
    for (const wrong of [null, [], 'x', {}, { username: '' }, { username: 'a', creation_date: '5' }])
      assert.throws(() => readWire(wireUser, wrong, 'user'), { code: 'invalid' });
    assert.throws(() => readWire(wirePage(wireUser), { results: [] }, 'page'), {
      code: 'invalid',
      message: /^page: "pagination" is required/,
    });
    assert.throws(() => readWire(wirePolicy, { name: 'p', statement: [{ effect: 'maybe', action: [], resource: '*' }] }, 'policy'), {
      code: 'invalid',
    });
  });
});

describe('tokens of servers', () => {
  it('are distinguished from all others under the same key', () => {
    const now = new Date();
    const later = new Date(now.getTime() + 60_000);
    const token = mintServiceToken('k');
    assert.equal(isServiceToken(token, 'k'), true);
    assert.equal(isServiceToken(token, 'other'), false);
    assert.equal(isServiceToken(token, 'k', new Date(now.getTime() + 11 * 366 * 24 * 3_600_000)), false);
    assert.equal(isServiceToken(signLogin({ username: '_lakefs-internal', epoch: 0 }, 'k', now, later), 'k'), false);
    assert.equal(isServiceToken(purposeTokens('k').issuePurposeToken('auth-client', 'ann', 60_000), 'k'), false);
    const [, payload = ''] = token.split('.');
    const { aud, sub } = JSON.parse(Buffer.from(payload, 'base64url').toString());
    assert.deepEqual([aud, sub], [['auth-client'], '_lakefs-internal']);
  });
});
