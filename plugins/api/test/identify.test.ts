import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clearedCookies, readSession, sessionCookie } from '@srv/lib-api';
import { presentedCredentials } from '../src/server/identify.js';

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const find = (headers: Record<string, string>, method = 'GET') => presentedCredentials(headers, method, () => '192.0.2.1').credentials;

describe('credentials of a request', () => {
  it('are a token, a key pair, a session, or left to others', () => {
    assert.deepEqual(find({ authorization: 'bEaReR abc' }), { kind: 'token', token: 'abc' });
    const pair = { kind: 'basic', accessKeyId: 'id', secretAccessKey: 'se:cr/et+', from: '192.0.2.1' };
    assert.deepEqual(find({ authorization: basic('id:se:cr/et+') }), pair);
    assert.deepEqual(find({ cookie: 'a=b; access_token=xyz; c' }), { kind: 'token', token: 'xyz' });
    for (const authorization of ['Bearer', 'Bearer a b', 'AWS4-HMAC-SHA256 Credential=x', 'Basic !', basic('no colon'), '']) {
      assert.equal(find({ authorization }).kind, 'headers', authorization);
    }
  });

  it('are the first kind present, whether good or not', () => {
    assert.deepEqual(find({ authorization: 'Bearer stale', cookie: 'access_token=good' }), { kind: 'token', token: 'stale' });
  });

  it('are a session for writes of the same origin only', () => {
    const cookie = 'access_token=xyz';
    const write = (headers: Record<string, string>) => find({ cookie, host: 'srv.example:8000', ...headers }, 'POST').kind;
    assert.equal(write({ 'sec-fetch-site': 'same-origin' }), 'token');
    assert.equal(write({ origin: 'http://srv.example:8000' }), 'token');
    assert.equal(write({ origin: 'https://lakes.example', 'x-forwarded-host': 'lakes.example' }), 'token');
    for (const foreign of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'same-site', origin: 'http://srv.example:8000' },
      { origin: 'http://evil.srv.example:8000' },
      { origin: 'null' },
      {},
    ])
      assert.equal(write(foreign), 'headers', JSON.stringify(foreign));
    assert.equal(find({ cookie, 'sec-fetch-site': 'cross-site' }, 'GET').kind, 'token');
    assert.equal(find({ authorization: 'Bearer abc', 'sec-fetch-site': 'cross-site' }, 'POST').kind, 'token');
  });

  it('are not a session when another site writes', () => {
    const headers = { cookie: 'access_token=xyz', 'sec-fetch-site': 'cross-site' };
    assert.deepEqual(find(headers, 'POST'), { kind: 'headers', headers: { 'sec-fetch-site': 'cross-site' } }, 'nor is any other cookie');
    assert.equal(find(headers, 'GET').kind, 'token');
  });
});

describe('the session cookie', () => {
  const installationId = 'ab12cd34-0000-4000-8000-000000000000';
  const scope = { domain: '', secure: false, installationId };

  it('says where and how long it holds', () => {
    assert.equal(
      sessionCookie('t', 60, { domain: 'x.org', secure: true, installationId }),
      'access_token_ab12cd34=t; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Domain=x.org; Secure',
    );
    assert.match(sessionCookie('t', 60, { ...scope, installationId: undefined }), /^access_token=t;/);
  });

  it('has a name for each installation; the old one is read, too', () => {
    const read = (header: string | undefined) => readSession(header, installationId);
    assert.deepEqual(read('access_token_ab12cd34="quoted"'), { token: 'quoted', isOld: false });
    assert.deepEqual(read('access_token=other; access_token_ab12cd34=ours'), { token: 'ours', isOld: false });
    assert.deepEqual(read('access_token=old; access_token_00000000=theirs'), { token: 'old', isOld: true });
    for (const none of [undefined, '', 'access_token=; access_tokens=x', 'access_token_00000000=theirs'])
      assert.equal(read(none), undefined);
  });

  it('is forgotten under both names', () => {
    assert.deepEqual(
      clearedCookies(scope).map(line => line.split(';')[0]),
      ['access_token_ab12cd34=', 'access_token='],
    );
  });
});
