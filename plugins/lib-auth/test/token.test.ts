import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { signLogin, verifyLogin } from '../src/token.js';

const key = 'some key';
const now = new Date('2024-05-01T12:00:00Z');
const later = new Date('2024-05-01T13:00:00Z');

function craft(header: object, claims: object, hash = 'sha256', secret = key): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}

const exp = later.getTime() / 1000;
const signToken = (username: string, secret: string, from: Date, to: Date) => signLogin({ username, epoch: 0 }, secret, from, to);
const verifyToken = (token: string, secret: string, at: Date) => verifyLogin(token, secret, at)?.username;

describe('login tokens', () => {
  it('carry what other services verify', () => {
    const token = signToken('bob', key, now, later);
    const [header = '', payload = ''] = token.split('.').map(part => Buffer.from(part, 'base64url').toString());
    assert.deepEqual(JSON.parse(header), { alg: 'HS256', typ: 'JWT' });
    const { jti, ...claims } = JSON.parse(payload) as Record<string, unknown>;
    assert.match(String(jti), /^[0-9a-f-]{36}$/);
    assert.deepEqual(claims, { iss: 'auth', sub: 'bob', aud: 'login', iat: now.getTime() / 1000, exp });
    assert.equal(verifyToken(token, key, now), 'bob');
  });

  it('of all three strengths are accepted, with and without audience', () => {
    for (const [alg, hash] of [
      ['HS256', 'sha256'],
      ['HS384', 'sha384'],
      ['HS512', 'sha512'],
    ] as const) {
      assert.equal(verifyToken(craft({ alg }, { sub: 'bob', exp, aud: 'login' }, hash), key, now), 'bob', alg);
    }
    assert.equal(verifyToken(craft({ alg: 'HS256' }, { sub: 'bob', exp }), key, now), 'bob');
    assert.equal(verifyToken(craft({ alg: 'HS256' }, { sub: 'bob', exp, aud: '' }), key, now), 'bob');
  });

  it('are refused when anything is off', () => {
    const refused: Record<string, string> = {
      expired: signToken('bob', key, now, now),
      'other key': craft({ alg: 'HS256' }, { sub: 'bob', exp }, 'sha256', 'x'),
      'no algorithm': craft({ alg: 'none' }, { sub: 'bob', exp }),
      'asymmetric algorithm': craft({ alg: 'RS256' }, { sub: 'bob', exp }),
      'inherited algorithm': craft({ alg: 'constructor' }, { sub: 'bob', exp }),
      'wrong hash': craft({ alg: 'HS512' }, { sub: 'bob', exp }, 'sha256'),
      'no expiry': craft({ alg: 'HS256' }, { sub: 'bob' }),
      'expiry as text': craft({ alg: 'HS256' }, { sub: 'bob', exp: String(exp) }),
      'other audience': craft({ alg: 'HS256' }, { sub: 'bob', exp, aud: 'reset_password' }),
      'service audience': craft({ alg: 'HS256' }, { sub: 'bob', exp, aud: ['auth-client'] }),
      'audience list': craft({ alg: 'HS256' }, { sub: 'bob', exp, aud: ['login'] }),
      'no subject': craft({ alg: 'HS256' }, { exp }),
      'two parts': 'a.b',
      'four parts': `${signToken('bob', key, now, later)}.x`,
      nonsense: 'a.b.c',
      empty: '',
      unsigned: signToken('bob', key, now, later).replace(/\.[^.]*$/, '.'),
    };
    for (const [name, token] of Object.entries(refused)) assert.equal(verifyToken(token, key, now), undefined, name);
  });
});
