import assert from 'node:assert/strict';
import { it } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { ScriptedHttp } from '@srv/test-servers';
import { storedSession } from '../src/stored-session.js';
import { TokenCache } from '../src/token-cache.js';
import type { TestContext } from 'node:test';

const day = 86_400;
const soon = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

/** A server that renews sessions for `life` seconds, and a session there. @param meanwhile another program does this while a renewal is under way. */
async function open(t: TestContext, life: number | undefined, meanwhile: (cache: TokenCache) => Promise<void> = async () => {}) {
  const renewals: string[] = [];
  const server = await ScriptedHttp.open(async (request, response) => {
    renewals.push(String(request.headers.authorization));
    await meanwhile(cache);
    if (life === undefined) response.writeHead(401).end('{}');
    else response.end(JSON.stringify({ token: `renewed ${renewals.length}`, token_expiration: soon(life) }));
  });
  t.after(() => server.close());
  const cache = new TokenCache(server.url, scratchFolder(), 'session');
  return { cache, renewals, session: storedSession(server.url, cache) };
}

it('a login follows an ended session, and a logout ends one, at the next request', async t => {
  const { session, renewals } = await open(t, 30 * day);
  const ended = { code: 'unauthenticated', message: /has ended: run "cli login"/ };
  await assert.rejects(session.token(), ended);
  await session.store({ token: 'old', expiresAt: soon(-1) });
  await assert.rejects(session.token(), ended);
  await session.store({ token: 'new', expiresAt: soon(30 * day) });
  assert.equal(await session.token(), 'new');
  await session.remove();
  await assert.rejects(session.token(), ended);
  assert.deepEqual(renewals, []);
});

it('a session is renewed by its remaining life, once for requests at the same time', async t => {
  const { session, renewals } = await open(t, 30 * day);
  await session.store({ token: 'first', expiresAt: soon(4 * day) });
  assert.equal(await session.token(), 'first');
  // Two days later, in the same shell.
  await session.store({ token: 'first', expiresAt: soon(2 * day) });
  const tokens = await Promise.all([session.token(), session.token(), session.token()]);
  assert.deepEqual([...new Set(tokens), await session.token()], ['renewed 1', 'renewed 1']);
  assert.deepEqual(renewals, ['Bearer first']);
});

it('a session that cannot be renewed, or not for long, is not renewed with every request', async t => {
  for (const [life, expected] of [
    [undefined, 'first'],
    [day, 'renewed 1'],
  ] as const) {
    const { session, renewals } = await open(t, life);
    await session.store({ token: 'first', expiresAt: soon(day) });
    for (let i = 0; i < 5; i++) assert.equal(await session.token(), expected);
    assert.equal(renewals.length, 1);
  }
});

it('a logout or login of another program while a session is renewed stays, and the request that renewed it follows', async t => {
  const loggedOut = await open(t, 30 * day, cache => cache.remove());
  await loggedOut.session.store({ token: 'ann', expiresAt: soon(day) });
  await assert.rejects(loggedOut.session.token(), { code: 'unauthenticated', message: /has ended: run "cli login"/ });
  assert.equal(loggedOut.session.exists(), false);

  const loggedIn = await open(t, 30 * day, cache => cache.write({ token: 'bob', expiresAt: soon(7 * day) }));
  await loggedIn.session.store({ token: 'ann', expiresAt: soon(day) });
  assert.equal(await loggedIn.session.token(), 'bob');
  assert.equal((await loggedIn.session.read())?.token, 'bob');
  assert.deepEqual(loggedIn.renewals, ['Bearer ann']);
});
