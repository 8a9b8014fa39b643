/** Names of repositories: ours are narrower than those of the Hub in letters, and wider in dashes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { Names } from '../src/server/address.js';
import { HubError } from '../src/server/errors.js';
import { isNamespace } from '../src/server/namespace.js';
import { fileLine, json, line, startHub } from './support/server.js';
import type { HubServer } from './support/server.js';

let server: HubServer;
before(async () => {
  server = await startHub();
});
after(() => server.stop());

const names = new Names('srv');
const isClients = (id: string): boolean =>
  /^[a-z0-9](?:[a-z0-9-]{0,94}[a-z0-9])?\/[a-z0-9](?:[a-z0-9-]{0,94}[a-z0-9])?$/.test(id) && !id.includes('--');

test('a repository has a name that clients accept and that means it alone, or none', () => {
  const part = fc.constantFrom(
    'srv',
    'zoo',
    'a',
    '-',
    '--',
    'models',
    'datasets',
    'api',
    'xet',
    'commit',
    'resolve',
    'x1',
    'lfs-upload',
    'abc',
  );
  const repository = fc.array(part, { minLength: 1, maxLength: 6 }).map(parts => parts.join(''));
  fc.assert(
    fc.property(repository, id => {
      if (!/^[a-z0-9][a-z0-9-]{2,62}$/.test(id)) return;
      const name = names.idOf(id);
      if (name === undefined) return;
      assert.ok(isClients(name), name);
      const [owner, own = ''] = name.split('/');
      assert.equal(names.repo('datasets', owner, own).repository, id);
      for (const verb of [[], ['tree', 'main'], ['commit', 'main']])
        assert.deepEqual(names.split('datasets', [owner ?? '', own, ...verb]), {
          repo: { type: 'datasets', repository: id, id: name },
          rest: verb,
        });
    }),
    { numRuns: 3000 },
  );
});

test('repositories that clients cannot name are left out of lists, and a request for one says why', async () => {
  const own = ['zoo', 'deep--lakes', 'commit', 'resolve'];
  const unnamed = ['zoo-', 'srv--zoo', 'a--b--c', 'a---b', 'a--', 'datasets--x', 'api--x', 'xet--x', 'org--commit', 'org--resolve'];
  for (const id of [...own, ...unnamed]) await server.engine.createRepository({ id, storageNamespace: `local://${id}` });
  const list = JSON.parse((await server.hub('GET', '/api/datasets')).body) as { id: string }[];
  assert.deepEqual(list.map(({ id }) => id).sort(), ['deep/lakes', 'srv/commit', 'srv/resolve', 'srv/zoo']);
  for (const { id } of list) {
    const body = line('header', { summary: id }) + fileLine('f', id);
    assert.equal((await server.hub('POST', `/api/datasets/${id}/commit/main`, { body })).status, 200, id);
    assert.equal((await server.hub('GET', `/datasets/${id}/resolve/main/f`)).body, id);
    assert.equal(json(await server.hub('GET', `/api/datasets/${id}`))['id'], id);
  }
  for (const id of unnamed) {
    const { status, body } = await server.hub('GET', `/api/models/${id}`);
    assert.deepEqual([status, /clients of the Hub cannot name the repository (\S+),/.exec(body)?.[1]], [404, id]);
    assert.equal((await server.hub('GET', `/api/names/${id}`)).status, 404);
  }
});

test('a name that no repository can have is refused with one that it can', async () => {
  for (const [given, better] of [
    ['srv/bert_base.v1', 'srv/bert-base-v1'],
    ['my_data', 'srv/my-data'],
    ['Org.x/__init__.y', 'org-x/init-y'],
    ['org/a--b', 'org/a-b'],
    ['srv/zoo-', 'srv/zoo'],
  ] as const) {
    const { status, body } = await server.hub('POST', '/api/repos/create', { body: JSON.stringify({ name: given, type: 'dataset' }) });
    assert.equal(status, 400, body);
    assert.ok(body.includes(`such as ${better}`), body);
    const made = await server.hub('POST', '/api/repos/create', { body: JSON.stringify({ name: better, type: 'dataset' }) });
    assert.ok([200, 409].includes(made.status), made.body);
  }
  for (const name of ['', 'a', '..', 'x'.repeat(64), 'ä'])
    assert.throws(
      () => names.repo('models', undefined, name),
      (error: unknown) => error instanceof HubError && error.status === 400 && !error.message.includes('undefined'),
    );
});

test('capitals of names do not count', async () => {
  assert.equal(json(await server.hub('GET', '/api/models/SRV/Zoo'))['id'], 'srv/zoo');
});

test('how clients name a repository is said without credentials', async () => {
  const answer = await server.hub('GET', '/api/names/deep--lakes', { headers: { authorization: '' } });
  assert.deepEqual([answer.status, json(answer)], [200, { id: 'deep/lakes' }]);
});

test('a namespace that is the beginning of other paths is refused', () => {
  for (const name of ['srv', 'a', 'a-b', '1']) assert.ok(isNamespace(name), name);
  for (const name of ['', 'models', 'api', 'xet', 'lfs-upload', 'a--b', '-a', 'a-', 'a_b', 'a/b']) assert.ok(!isNamespace(name), name);
});
