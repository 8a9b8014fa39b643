/** The endpoint as the large providers call it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SrvError } from '@srv/kernel';
import { MemoryKvStore, scratchFolder, until } from '@srv/kernel/testing';
import { startSrv } from '@srv/test-servers';
import type { TestContext } from 'node:test';
import type {} from '@srv/auth/contract';
import type { Kernel } from '@srv/kernel';
import type { RunningSrv } from '@srv/test-servers';

const token = 'a token of sixteen characters'.replaceAll(' ', '-');
type Body = Readonly<Record<string, unknown>>;

async function open(t: TestContext, config: Body = {}) {
  const srv = await startSrv({
    plugins: ['auth-scim'],
    config: { 'auth.ui_config.rbac': 'internal', 'auth.scim.token': token, ...config },
  });
  t.after(srv.stop);
  const call = async (method: string, path: string, body?: object, bearer = token) => {
    const response = await fetch(`${srv.url}/scim/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, ...(body ? { 'content-type': 'application/scim+json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> & { Resources?: readonly Body[] },
    };
  };
  return { srv, call };
}

const patch = (...Operations: readonly object[]) => ({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations });

async function mayLogIn({ url }: RunningSrv, { accessKeyId, secretAccessKey }: { accessKeyId: string; secretAccessKey: string }) {
  const authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString('base64')}`;
  return (await fetch(`${url}/api/v1/repositories`, { headers: { authorization } })).status;
}

/** Servers of one database. */
async function openTwo(t: TestContext, ttl: string) {
  const kv = new MemoryKvStore('shared', true);
  const own = { get: kv.get.bind(kv), set: kv.set.bind(kv), setIf: kv.setIf.bind(kv), delete: kv.delete.bind(kv), scan: kv.scan.bind(kv) };
  const plugin = {
    name: 'shared',
    apply: ({ hooks }: Kernel) =>
      hooks.openKvStore
        .for('shared')
        .tapPromise('shared', async () => ({ ...own, type: 'shared', isShared: true, close: async () => undefined })),
  };
  const config = {
    'auth.ui_config.rbac': 'internal',
    'auth.scim.token': token,
    'auth.cache.ttl': ttl,
    'auth.cache.jitter': '0s',
    'database.type': 'shared',
    'blockstore.local.path': join(scratchFolder(), 'block'),
  };
  const servers: RunningSrv[] = [];
  for (let i = 0; i < 2; i++) {
    const srv = await startSrv({ plugins: ['auth-scim'], inline: [{ plugin }], config });
    t.after(srv.stop);
    servers.push(srv);
  }
  return servers as [RunningSrv, RunningSrv];
}

describe('provisioning by SCIM', () => {
  it('of a deactivated user holds at another server of the database within the time of its cache', async t => {
    const [first, second] = await openTwo(t, '300ms');
    const auth = first.kernel.services.get('auth');
    const provision = (method: string, path: string, body: object) =>
      fetch(`${first.url}/scim/v2${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
        body: JSON.stringify(body),
      });
    assert.equal((await provision('POST', '/Users', { userName: 'ann', externalId: 'e-1' })).status, 201);
    await auth.createPolicy('lists', [{ effect: 'allow', action: ['fs:ListRepositories'], resource: '*' }]);
    await auth.attachToUser('ann', 'lists');
    const key = await auth.createCredential('ann');
    const { token: session } = await auth.issueToken('ann');
    const bySession = async ({ url }: RunningSrv) =>
      (await fetch(`${url}/api/v1/repositories`, { headers: { authorization: `Bearer ${session}` } })).status;
    for (const srv of [first, second]) assert.deepEqual([await mayLogIn(srv, key), await bySession(srv)], [200, 200]);
    const began = performance.now();
    assert.equal((await provision('PATCH', '/Users/ann', patch({ op: 'replace', path: 'active', value: false }))).status, 200);
    assert.deepEqual([await mayLogIn(first, key), await bySession(first)], [401, 401]);
    await until(async () => (await mayLogIn(second, key)) === 401 && (await bySession(second)) === 401);
    t.diagnostic(`shut out at the other server after ${Math.round(performance.now() - began)} ms`);
    assert.deepEqual([await mayLogIn(second, key), await bySession(second)], [401, 401], 'and stays so');
    await provision('PATCH', '/Users/ann', patch({ op: 'replace', path: 'active', value: true }));
    await until(async () => (await mayLogIn(second, key)) === 200);
    // The count of revocations has a cache of its own.
    await until(async () => (await bySession(second)) === 401);
    assert.deepEqual([await mayLogIn(second, key), await bySession(second)], [200, 401], 'the session has ended for good');
  });

  it('shows in the users of the API who is managed, and who is active', async t => {
    const { srv, call } = await open(t);
    const authorization = `Basic ${Buffer.from(`${srv.key.accessKeyId}:${srv.key.secretAccessKey}`).toString('base64')}`;
    const api = async (path: string, body?: object) => {
      const more = body ? { method: 'POST', body: JSON.stringify(body) } : {};
      const headers = { authorization, 'content-type': 'application/json' };
      const response = await fetch(`${srv.url}/api/v1/auth${path}`, { headers, ...more });
      return (await response.json()) as { readonly results?: readonly Body[] } & Body;
    };
    const facts = ({ id, active, external_id: external }: Body) => [id, active, external];
    await call('POST', '/Users', { userName: 'ann', externalId: 'e-1' });
    await call('POST', '/Users', { userName: 'bob', externalId: 'e-2', active: false });
    assert.deepEqual(facts(await api('/users', { id: 'carl', external_id: 'e-3' })), ['carl', true, 'e-3']);
    assert.match(String((await api('/users', { id: 'dora', external_id: 'e-3' }))['message']), /Already exists/);
    assert.deepEqual(facts(await api('/users/bob')), ['bob', false, 'e-2']);
    const idsOf = async (path: string) => (await api(path)).results?.map(({ id }) => id);
    assert.deepEqual(await idsOf('/users?active=true'), ['admin', 'ann', 'carl']);
    assert.deepEqual(await idsOf('/users?active=false'), ['bob']);
    const auth = srv.kernel.services.get('auth');
    for (const user of ['ann', 'bob']) await auth.addMember('Viewers', user);
    assert.deepEqual(await idsOf('/groups/Viewers/members?active=false'), ['bob']);
    assert.deepEqual(facts(await api('/users/admin')), ['admin', undefined, undefined]);
  });

  it('searches by a body, over users, over groups, and over both', async t => {
    const { call } = await open(t);
    for (const userName of ['ann', 'bob']) await call('POST', '/Users', { userName, displayName: userName });
    await call('POST', '/Groups', { displayName: 'anns' });
    const search = (path: string, more: object) =>
      call('POST', `${path}/.search`, { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], ...more });
    const filter = 'displayName sw "ann" or userName eq "bob"';
    const namesOf = ({ body }: Awaited<ReturnType<typeof call>>) => body.Resources?.map(found => found['displayName']);
    assert.deepEqual(namesOf(await search('/Users', { filter })), ['ann', 'bob']);
    assert.deepEqual(namesOf(await search('/Groups', { filter })), ['anns']);
    const both = await search('', { filter, startIndex: 2, count: 2, attributes: ['displayName'] });
    assert.deepEqual([both.status, both.body['totalResults'], both.body['startIndex'], namesOf(both)], [200, 3, 2, ['bob', 'anns']]);
    assert.deepEqual(Object.keys(both.body.Resources?.[0] ?? {}).sort(), ['displayName', 'id', 'meta', 'schemas']);
    assert.deepEqual(namesOf(await search('', { filter, startIndex: 3, count: 5 })), ['anns']);
    assert.equal((await search('', { filter: 'a b' })).body['scimType'], 'invalidFilter');
    assert.equal((await search('', { count: {} })).status, 400);
    assert.equal((await call('POST', '/.search', {})).status, 400);
  });

  it('keeps the kind of an address and the parts of a name, until they are changed elsewhere', async t => {
    const { srv, call } = await open(t);
    const made = await call('POST', '/Users', {
      userName: 'ann',
      name: { givenName: 'Ann', familyName: 'Lee' },
      emails: [{ value: 'ann@example.com', type: 'home' }],
    });
    const expected = {
      name: { formatted: 'Ann Lee', givenName: 'Ann', familyName: 'Lee' },
      emails: [{ value: 'ann@example.com', type: 'home' }],
    };
    assert.deepEqual({ name: made.body['name'], emails: made.body['emails'] }, expected);
    const renamed = await call('PATCH', '/Users/ann', patch({ op: 'replace', path: 'name.familyName', value: 'Li' }));
    assert.deepEqual(
      [renamed.body['displayName'], renamed.body['name']],
      ['Ann Li', { formatted: 'Ann Li', givenName: 'Ann', familyName: 'Li' }],
    );
    await srv.kernel.services.get('accounts').setFriendlyName('ann', 'Dr. Li');
    assert.deepEqual((await call('GET', '/Users/ann')).body['name'], { formatted: 'Dr. Li' });
    assert.equal((await call('DELETE', '/Users/ann')).status, 204);
    const again = await call('POST', '/Users', { userName: 'ann', emails: [{ value: 'ann@example.com', primary: true }] });
    assert.deepEqual([again.body['name'], again.body['emails']], [undefined, [{ value: 'ann@example.com', type: 'work', primary: true }]]);
  });

  it('is for its token only, and says what it offers', async t => {
    const { srv, call } = await open(t);
    const refusal = await call('GET', '/Users', undefined, 'another-token-of-that-length');
    assert.deepEqual([refusal.status, refusal.body['status']], [401, '401']);
    const anonymous = await fetch(`${srv.url}/scim/v2/Users`);
    assert.deepEqual([anonymous.status, anonymous.headers.get('www-authenticate')], [401, 'Bearer realm="srv"']);
    assert.deepEqual((await call('GET', '/ServiceProviderConfig')).body['patch'], { supported: true });
    for (const path of ['/ResourceTypes', '/Schemas']) assert.equal((await call('GET', path)).body['totalResults'], 2, path);
    assert.equal((await call('GET', '/Schemas/urn:ietf:params:scim:schemas:core:2.0:User')).body['name'], 'User');
    assert.equal((await call('POST', '/Schemas')).status, 405);
    assert.deepEqual((await call('GET', '/Elsewhere')).body['schemas'], ['urn:ietf:params:scim:api:messages:2.0:Error']);
    const part = await call('GET', '/Users/admin?attributes=userName');
    assert.deepEqual(Object.keys(part.body).sort(), ['id', 'meta', 'schemas', 'userName']);
  });

  it('creates, adopts, changes, deactivates and deletes users; a deactivated one is shut out at once', async t => {
    const { srv, call } = await open(t);
    const { services } = srv.kernel;
    const auth = services.get('auth');
    const made = await call('POST', '/Users', {
      userName: 'ann@example.com',
      externalId: 'e-1',
      name: { givenName: 'Ann', familyName: 'Lee' },
      emails: [{ value: 'ann@example.com', primary: true, type: 'work' }],
      active: true,
    });
    assert.deepEqual(
      [made.status, made.body['id'], made.body['displayName'], made.body['active']],
      [201, 'ann@example.com', 'Ann Lee', true],
    );
    const again = await call('POST', '/Users', { userName: 'ann@example.com', externalId: 'e-1' });
    assert.deepEqual([again.status, again.body['scimType']], [409, 'uniqueness']);
    await auth.createUser({ username: 'bob' });
    assert.equal((await call('POST', '/Users', { userName: 'bob', externalId: 'e-1' })).status, 409, 'the external ID is another user’s');
    assert.equal((await call('POST', '/Users', { userName: 'bob', externalId: 'e-2' })).body['externalId'], 'e-2', 'adopted');
    assert.equal((await call('GET', '/Users?filter=externalId eq "e-2"')).body.Resources?.[0]?.['userName'], 'bob');

    const key = await auth.createCredential('ann@example.com');
    await auth.attachToUser('ann@example.com', 'FSReadAll');
    const { token: session } = await auth.issueToken('ann@example.com');
    const bySession = async () =>
      (await fetch(`${srv.url}/api/v1/repositories`, { headers: { authorization: `Bearer ${session}` } })).status;
    assert.deepEqual([await mayLogIn(srv, key), await bySession()], [200, 200]);
    const at = '/Users/ann%40example.com';
    // Azure writes texts, Okta leaves out the path.
    const off = await call('PATCH', at, patch({ op: 'Replace', path: 'active', value: 'False' }));
    assert.deepEqual([off.status, off.body['active']], [200, false]);
    assert.deepEqual([await mayLogIn(srv, key), await bySession()], [401, 401]);
    await call('PATCH', at, patch({ op: 'replace', value: { active: true } }));
    assert.deepEqual([await mayLogIn(srv, key), await bySession()], [200, 401], 'the session has ended for good');

    const changed = await call(
      'PATCH',
      `${at}?aadOptscim062020`,
      patch(
        { op: 'Add', path: 'emails[type eq "work"].value', value: 'lee@example.com' },
        { op: 'Replace', path: 'name.familyName', value: [{ value: 'Li' }] },
        { op: 'replace', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'x' },
        { op: 'add', value: { 'urn:ietf:params:scim:schemas:core:2.0:User:externalId': 'e-9' } },
      ),
    );
    assert.deepEqual(changed.body['emails'], [{ value: 'lee@example.com', type: 'work', primary: true }]);
    assert.equal(changed.body['externalId'], 'e-9');
    const rename = await call('PATCH', at, patch({ op: 'replace', path: 'userName', value: 'eve' }));
    assert.deepEqual([rename.status, rename.body['scimType']], [400, 'mutability']);
    const replaced = await call('PUT', at, { userName: 'ann@example.com', displayName: 'A. L.', active: true });
    assert.deepEqual([replaced.body['displayName'], replaced.body['emails'], replaced.body['externalId']], ['A. L.', undefined, undefined]);
    assert.equal(
      (await call('POST', '/Users', { userName: 'carl', externalId: 'e-9', active: false })).status,
      201,
      'the ID is free again',
    );
    assert.equal((await call('DELETE', at)).status, 204);
    assert.equal((await call('GET', at)).status, 404);
    assert.equal(await mayLogIn(srv, key), 401);
  });

  it('changes of a user only what a patch names, whatever another patch changes at the same time', async t => {
    const { call } = await open(t);
    const emails = [{ value: 'ann@example.com', type: 'work', primary: true }];
    await call('POST', '/Users', { userName: 'ann', externalId: 'e-1', emails });
    const replace = (path: string, value: unknown) => call('PATCH', '/Users/ann', patch({ op: 'replace', path, value }));
    for (let round = 0; round < 20; round++) {
      await replace('active', true);
      const answers = await Promise.all([
        replace('active', false),
        replace('displayName', `Ann ${round}`),
        replace('name.familyName', `Lee ${round}`),
        replace('externalId', `e-${round}`),
        replace('emails[type eq "work"].primary', round % 2 === 1),
      ]);
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
      const { body } = await call('GET', '/Users/ann');
      assert.deepEqual([body['active'], body['externalId']], [false, `e-${round}`], `round ${round}`);
      assert.deepEqual(body['emails'], [{ ...emails[0], primary: round % 2 === 1 }], `round ${round}`);
    }
  });

  it('gives a group a new name and a new external ID at the same time', async t => {
    const { call } = await open(t);
    const { body: group } = await call('POST', '/Groups', { displayName: 'data', externalId: 'g' });
    const at = `/Groups/${String(group['id'])}`;
    for (let round = 0; round < 20; round++) {
      const replace = (path: string, value: string) => call('PATCH', at, patch({ op: 'replace', path, value }));
      const tag = async () => {
        const answer = await replace('externalId', `g-${round}`);
        // In the middle of the move to the new name.
        return answer.status === 404 ? replace('externalId', `g-${round}`) : answer;
      };
      const answers = await Promise.all([tag(), replace('displayName', `data ${round}`)]);
      const { status, body } = await call('GET', at);
      assert.deepEqual(
        [...answers.map(answer => answer.status), status, body['displayName'], body['externalId']],
        [200, 200, 200, `data ${round}`, `g-${round}`],
      );
    }
  });

  it('lists users by filters and pages', async t => {
    const { call } = await open(t);
    for (const name of ['u1', 'u2', 'u3', 'u4']) {
      const emails = [{ value: `${name}@${name === 'u4' ? 'other' : 'example'}.com` }];
      await call('POST', '/Users', { userName: name, emails, active: name !== 'u2' });
    }
    const names = async (filter: string, more = '') =>
      ((await call('GET', `/Users?filter=${encodeURIComponent(filter)}${more}`)).body.Resources ?? []).map(user => user['userName']);
    assert.deepEqual(await names('userName eq "U1"'), ['u1']);
    assert.deepEqual(await names('userName sw "u" and active eq true'), ['u1', 'u3', 'u4']);
    assert.deepEqual(await names('emails[value ew "other.com"] or (not (active eq true) and userName pr)'), ['u2', 'u4']);
    assert.deepEqual(await names('emails.value co "@EXAMPLE"', '&count=2&startIndex=2'), ['u2', 'u3']);
    const page = (await call('GET', '/Users?startIndex=2&count=2')).body;
    assert.deepEqual([page['totalResults'], page['itemsPerPage'], page.Resources?.map(user => user['userName'])], [5, 2, ['u1', 'u2']]);
    for (const count of ['2147483648', '9'.repeat(400)]) {
      const { status, body } = await call('GET', `/Users?count=${count}`);
      assert.deepEqual([status, body['itemsPerPage']], [200, 5], count);
    }
    const last = await call('GET', `/Users?startIndex=${'9'.repeat(400)}`);
    assert.deepEqual([last.status, last.body['startIndex'], last.body['itemsPerPage']], [200, Number.MAX_SAFE_INTEGER, 0]);
    for (const bad of [
      'userName',
      'userName eq',
      'userName eq "x',
      '((((((((((((userName pr',
      'userName zz "x"',
      `${'('.repeat(1999)}(`,
      'x'.repeat(2001),
    ]) {
      const { status, body } = await call('GET', `/Users?filter=${encodeURIComponent(bad)}`);
      assert.deepEqual([status, body['scimType']], [400, 'invalidFilter'], bad.slice(0, 20));
    }
  });

  it('creates, renames and fills groups, whose ids stay', async t => {
    const { srv, call } = await open(t);
    const auth = srv.kernel.services.get('auth');
    for (const userName of ['ann', 'bob', 'carl']) await call('POST', '/Users', { userName });
    const made = await call('POST', '/Groups', { displayName: 'data', externalId: 'g-1', members: [{ value: 'ann' }] });
    assert.equal(made.status, 201);
    const at = `/Groups/${String(made.body['id'])}`;
    await auth.attachToGroup('data', 'FSReadAll');
    const membersOf = async (group: string) => (await auth.listMembers(group)).results.map(({ username }) => username);
    await call('PATCH', at, patch({ op: 'Add', path: 'members', value: [{ value: 'bob' }, { value: 'carl' }] }));
    assert.deepEqual(await membersOf('data'), ['ann', 'bob', 'carl']);
    await call('PATCH', at, patch({ op: 'remove', path: 'members[value eq "ann"]' }));
    await call('PATCH', at, patch({ op: 'Remove', path: 'members', value: [{ value: 'bob' }] }));
    assert.deepEqual(await membersOf('data'), ['carl']);
    const add = (value: string) => call('PATCH', at, patch({ op: 'add', path: 'members', value: [{ value }] }));
    await Promise.all([add('ann'), add('bob')]);
    assert.deepEqual(await membersOf('data'), ['ann', 'bob', 'carl'], 'of two requests none undoes the other');
    await call('PATCH', at, patch({ op: 'replace', path: 'members', value: [{ value: 'carl' }] }));
    const renamed = await call('PATCH', at, patch({ op: 'replace', value: { id: 'ignored', displayName: 'data team' } }));
    assert.deepEqual([renamed.status, renamed.body['id'], renamed.body['displayName']], [200, made.body['id'], 'data team']);
    assert.deepEqual(await membersOf('data team'), ['carl']);
    assert.deepEqual(
      (await auth.listGroupPolicies('data team')).results.map(({ id }) => id),
      ['FSReadAll'],
    );
    await assert.rejects(auth.getGroup('data'), /group not found/);
    const found = await call('GET', `/Groups?filter=${encodeURIComponent('displayName eq "data team"')}&excludedAttributes=members`);
    assert.deepEqual(
      found.body.Resources?.map(group => [group['id'], group['externalId'], group['members']]),
      [[made.body['id'], 'g-1', undefined]],
    );

    // A group of the installation: its id stays, too, and a later group of its old name has another one.
    assert.equal(
      (await call('PATCH', '/Groups/Viewers', patch({ op: 'replace', path: 'displayName', value: 'Readers' }))).body['id'],
      'Viewers',
    );
    await auth.createGroup('Viewers');
    const all = (await call('GET', '/Groups')).body.Resources ?? [];
    assert.equal(new Set(all.map(group => group['id'])).size, all.length);
    assert.equal((await call('GET', '/Groups/Viewers')).body['displayName'], 'Readers');
    assert.equal((await call('DELETE', '/Groups/Admins')).status, 403);
    assert.equal((await call('DELETE', at)).status, 204);
    assert.equal((await call('GET', at)).status, 404);
  });

  it('compares names of users and groups in any case, ids and external IDs exactly, as its schemas say', async t => {
    const { srv, call } = await open(t);
    const auth = srv.kernel.services.get('auth');
    const statusOf = async (method: string, path: string, body: object) => {
      const { status, body: answer } = await call(method, path, body);
      return [status, answer['scimType']];
    };
    await call('POST', '/Users', { userName: 'Ann', externalId: 'e1' });
    await call('POST', '/Users', { userName: 'bob', externalId: 'E1' });
    await auth.createUser({ username: 'Carl' });
    for (const userName of ['ann', 'ANN', 'carl']) assert.deepEqual(await statusOf('POST', '/Users', { userName }), [409, 'uniqueness']);
    const replaced = await call('PUT', '/Users/Ann', { userName: 'ANN', externalId: 'e1' });
    assert.deepEqual([replaced.status, replaced.body['userName']], [200, 'Ann']);
    const found = async (place: string, filter: string) =>
      ((await call('GET', `${place}?filter=${encodeURIComponent(filter)}`)).body.Resources ?? []).map(item => item['id']);
    assert.deepEqual(await found('/Users', 'userName eq "ANN"'), ['Ann']);
    assert.deepEqual(await found('/Users', 'externalId eq "e1" and active eq true'), ['Ann']);
    assert.deepEqual(await found('/Users', 'externalId ne "e1" and externalId pr'), ['bob']);
    assert.deepEqual(await found('/Users', 'id sw "a" and userName sw "a"'), ['admin']);

    await auth.createUser({ username: 'ann' });
    const { body: group } = await call('POST', '/Groups', { displayName: 'Data', members: [{ value: 'Ann' }, { value: 'ann' }] });
    const at = `/Groups/${String(group['id'])}`;
    assert.deepEqual(await statusOf('POST', '/Groups', { displayName: 'data' }), [409, 'uniqueness']);
    assert.deepEqual(await statusOf('PATCH', at, patch({ op: 'replace', path: 'displayName', value: 'viewers' })), [409, 'uniqueness']);
    await call('PATCH', at, patch({ op: 'remove', path: 'members[value eq "ann"]' }));
    assert.deepEqual(await found('/Groups', 'members eq "ann"'), []);
    assert.deepEqual(await found('/Groups', 'members.value eq "Ann"'), [group['id']]);
    const renamed = await call('PATCH', at, patch({ op: 'replace', path: 'displayName', value: 'data' }));
    assert.deepEqual([renamed.status, renamed.body['displayName']], [200, 'data'], 'its own name in another case');
    const schemas = (await call('GET', '/Schemas')).body.Resources ?? [];
    const exact = schemas.flatMap(({ attributes }) => (attributes as Body[]).filter(({ caseExact }) => caseExact).map(({ name }) => name));
    assert.deepEqual(exact, ['externalId', 'externalId']);
  });

  it('gives a name once, in whatever cases it is asked for at the same time', async t => {
    const { srv, call } = await open(t);
    const cases = ['cas', 'Cas', 'cAs', 'caS', 'CAs', 'CaS', 'cAS', 'CAS'];
    const ones = async (method: string, path: (name: string) => string, body: (name: string) => object) => {
      const answers = await Promise.all(cases.map(name => call(method, path(name), body(name))));
      const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
      return [statuses[0], [...new Set(statuses.slice(1))]];
    };
    const kv = srv.kernel.services.get('kv');
    for (let round = 0; round < 5; round++) {
      assert.deepEqual(
        await ones(
          'POST',
          () => '/Users',
          name => ({ userName: `${name}${round}` }),
        ),
        [201, [409]],
      );
      const made = await ones(
        'POST',
        () => '/Groups',
        name => ({ displayName: `${name}${round}` }),
      );
      assert.deepEqual(made, [201, [409]]);
    }
    await srv.kernel.services.get('auth').createUser({ username: 'here' });
    const adoptions = await Promise.all(['a', 'b'].map(externalId => call('POST', '/Users', { userName: 'here', externalId })));
    assert.deepEqual(
      adoptions.map(({ status }) => status).sort((a, b) => a - b),
      [201, 409],
      'adopted once',
    );
    const ids = await Promise.all(
      cases.map(async name =>
        String((await call('POST', '/Groups', { displayName: `g-${name.length}${cases.indexOf(name)}` })).body['id']),
      ),
    );
    const renamed = await ones(
      'PATCH',
      name => `/Groups/${ids[cases.indexOf(name)] ?? ''}`,
      name => patch({ op: 'replace', path: 'displayName', value: `new ${name}` }),
    );
    assert.deepEqual(renamed, [200, [409]]);
    for await (const page of kv.scan('scim'))
      assert.deepEqual(
        page.map(({ key }) => key.toString()).filter(key => key.startsWith('locks/')),
        [],
      );
    // A server that ended in the middle holds a name for a minute at most.
    const digest = createHash('sha256').update('zoe').digest('hex');
    const hold = (until: number) => kv.set('scim', Buffer.from(`locks/user/${digest}`), Buffer.from(JSON.stringify({ id: 'x', until })));
    await hold(Date.now() + 50_000);
    assert.equal((await call('POST', '/Users', { userName: 'Zoe' })).status, 409);
    await hold(Date.now() - 1);
    assert.equal((await call('POST', '/Users', { userName: 'Zoe' })).status, 201);
  });

  it('renames a group once, whatever names are asked for at the same time', async t => {
    const { srv, call } = await open(t);
    const { body: group } = await call('POST', '/Groups', { displayName: 'data' });
    const at = `/Groups/${String(group['id'])}`;
    const names = ['one', 'two', 'three'];
    await Promise.all(names.map(value => call('PATCH', at, patch({ op: 'replace', path: 'displayName', value }))));
    const { results } = await srv.kernel.services.get('auth').listGroups();
    const found = results.map(({ id }) => id).filter(id => ['data', ...names].includes(id));
    assert.deepEqual(found, [(await call('GET', at)).body['displayName']]);
  });

  it('changes nothing of a group when a member is unknown', async t => {
    const { srv, call } = await open(t);
    const auth = srv.kernel.services.get('auth');
    for (const userName of ['ann', 'bob']) await call('POST', '/Users', { userName });
    const members = [{ value: 'ann' }, { value: 'zoe' }];
    const refusal = ({ status, body }: Awaited<ReturnType<typeof call>>) => [status, body['scimType'], body['detail']];
    const expected = [400, 'invalidValue', 'members: user "zoe" not found'];
    assert.deepEqual(refusal(await call('POST', '/Groups', { displayName: 'data', members })), expected);
    const made = await call('POST', '/Groups', { displayName: 'data', members: [{ value: 'bob' }] });
    assert.equal(made.status, 201, 'the first request made no group');
    const at = `/Groups/${String(made.body['id'])}`;
    const add = { op: 'add', path: 'members', value: members };
    const rename = { op: 'replace', path: 'displayName', value: 'other' };
    for (const body of [patch(add), patch(rename, add)]) assert.deepEqual(refusal(await call('PATCH', at, body)), expected);
    assert.deepEqual(refusal(await call('PUT', at, { displayName: 'other', members })), expected);
    assert.deepEqual((await call('GET', at)).body, made.body);
    await assert.rejects(auth.getGroup('other'), /group not found/);
  });

  it('refuses in the form of the protocol what no handler has seen', async t => {
    const { srv } = await open(t);
    const send = async (path: string, init: RequestInit & { readonly type?: string } = {}) => {
      const { type = 'application/scim+json', ...more } = init;
      const headers = { authorization: `Bearer ${token}`, 'content-type': type };
      const response = await fetch(`${srv.url}/scim/v2${path}`, { method: 'POST', headers, ...more });
      const { detail, ...body } = (await response.json()) as Body;
      return { status: response.status, type: response.headers.get('content-type'), detail, body };
    };
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:Error'];
    const large = JSON.stringify({ userName: 'x'.repeat(2 * 1024 * 1024) });
    for (const [status, path, init] of [
      [400, '/Users', { body: '{bad' }],
      [400, '/Users', { body: '{"userName":"a\\ud800"}' }],
      [400, '/Users', { body: Buffer.from([0x22, 0xff, 0x22]) }],
      [400, '/Users', { body: 'x', type: 'text/plain' }],
      [413, '/Users', { body: large }],
      [400, '/Users/%zz', { method: 'GET' }],
      [400, '/Users?filter=%ff', { method: 'GET' }],
    ] as const) {
      const answer = await send(path, init);
      const scimType = status === 400 ? { scimType: 'invalidSyntax' } : {};
      assert.deepEqual(
        { ...answer, detail: typeof answer.detail, body: answer.body },
        { status, type: 'application/scim+json', detail: 'string', body: { schemas, status: String(status), ...scimType } },
        JSON.stringify([path, answer]).slice(0, 200),
      );
    }
    t.mock.method(srv.kernel.services.get('kv'), 'get', async () => Promise.reject(new SrvError('unavailable', 'the database is gone')));
    const answer = await send('/Users/ann', { method: 'GET' });
    assert.deepEqual([answer.status, answer.body], [503, { schemas, status: '503' }]);
    t.mock.restoreAll();
    const general = await fetch(`${srv.url}/api/v1/auth/users/%zz`);
    assert.deepEqual(Object.keys((await general.json()) as object), ['message']);
  });

  it('refuses what it cannot read, with the reason', async t => {
    const { call } = await open(t);
    await call('POST', '/Users', { userName: 'ann' });
    for (const [body, type] of [
      [patch({ op: 'move', path: 'active', value: true }), 'invalidSyntax'],
      [patch({ op: 'remove' }), 'invalidPath'],
      [patch({ op: 'replace', value: 'x' }), 'invalidValue'],
      [patch({ op: 'replace', path: 'active', value: 'maybe' }), 'invalidValue'],
      [patch({ op: 'replace', path: 'emails[type eq', value: 'x' }), 'invalidPath'],
      [patch({ op: 'replace', path: 'a.b.c', value: 'x' }), 'invalidPath'],
      [patch({ op: 'replace', path: 'ID', value: 'x' }), 'mutability'],
      [patch({ op: 'remove', path: 'urn:ietf:params:scim:schemas:core:2.0:User:meta.created' }), 'mutability'],
      [{ Operations: 'x' }, 'invalidSyntax'],
    ] as const) {
      const { status, body: answer } = await call('PATCH', '/Users/ann', body);
      assert.deepEqual([status, answer['scimType']], [400, type], JSON.stringify(body));
    }
    assert.equal((await call('POST', '/Users', { userName: '' })).status, 400);
    for (const userName of ['a/b', 'pct%41', 'a\u0001b', '..', 'x'.repeat(200_000)])
      assert.equal((await call('POST', '/Users', { userName })).status, 400, userName.slice(0, 10));
    assert.equal((await call('POST', '/Groups', { displayName: '..' })).status, 400);
    assert.equal((await call('POST', '/Users', { userName: '__proto__', constructor: 'x' })).status, 201);
    assert.equal((await call('GET', '/Users?startIndex=x')).status, 400);
  });
});
