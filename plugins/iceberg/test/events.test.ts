/** Hooks of action files learn which tables a change is about. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '@srv/kernel/testing';
import Joi from 'joi';
import { namespacePath, schema, startCatalog } from './support/server.js';
import { TableData } from './support/table-data.js';
import type { EventPayload } from '@srv/lib-api/hook-types';
import type { CatalogServer } from './support/server.js';

const by = { committer: 'test' };
const events = ['prepare-commit', 'pre-commit', 'post-commit', 'pre-merge', 'post-merge', 'pre-revert', 'post-create-tag'];
let server: CatalogServer;
let data: TableData;
let seen: EventPayload[] = [];

before(async () => {
  server = await startCatalog({}, ['actions']);
  data = new TableData(server);
  const type = {
    properties: Joi.object().unknown(),
    run: async ({ payload }: { readonly payload: EventPayload }) => void seen.push(payload),
  };
  server.kernel.hooks.hookType.for('probe').tap('test', () => type);
  await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'sales'] } });
  const action = {
    name: 'tables',
    on: Object.fromEntries(events.map(event => [event, null])),
    hooks: [{ id: 'probe', type: 'probe', properties: { a: 'b' } }],
  };
  await server.engine.putObject('lake', 'main', '_srv_actions/tables.yaml', Buffer.from(JSON.stringify(action)));
  // Its own event runs in the background, and must not be taken for one of the tests'.
  await payloadsOf(['post-commit'], () => server.engine.commit('lake', 'main', { ...by, message: 'actions' }));
  await server.engine.createBranch('lake', 'work', 'main');
});
after(() => server.stop());

async function payloadsOf(types: readonly string[], change: () => Promise<unknown>) {
  seen = [];
  await change();
  return Promise.all(types.map(type => until(() => seen.find(({ event_type: found }) => found === type))));
}

test('commits, merges and reverts name the tables that they change, and nothing else does', async () => {
  for (const name of ['books', 'other.ü'])
    await server.call('POST', `${namespacePath('lake', 'work', 'sales')}/tables`, { body: { name, schema } });
  await server.engine.putObject('lake', 'work', 'plain', Buffer.from('object'));
  const created = [
    { name: 'sales.books', change: 'added' },
    { name: 'sales.other.ü', change: 'added' },
  ];
  const types = ['prepare-commit', 'pre-commit', 'post-commit'];
  const first = await payloadsOf(types, () => server.engine.commit('lake', 'work', { ...by, message: 'tables' }));
  assert.deepEqual(
    first.map(({ tables }) => tables),
    [created, created, created],
  );
  const merges = await payloadsOf(['pre-merge', 'post-merge'], () => server.engine.merge('lake', 'work', 'main', by));
  assert.deepEqual(
    merges.map(({ tables }) => tables),
    [created, created],
  );
  await data.append({ ref: 'main', name: 'books' }, ['s3://lake/.tables/x']);
  await server.call('DELETE', `${namespacePath('lake', 'main', 'sales')}/tables/${encodeURIComponent('other.ü')}`);
  const [second] = await payloadsOf(['post-commit'], () => server.engine.commit('lake', 'main', { ...by, message: 'more' }));
  assert.deepEqual(second?.tables, [
    { name: 'sales.books', change: 'changed' },
    { name: 'sales.other.ü', change: 'removed' },
  ]);
  const [reverted] = await payloadsOf(['pre-revert'], () => server.engine.revert('lake', 'main', { ...by, ref: 'main' }));
  assert.deepEqual(reverted?.tables, [
    { name: 'sales.books', change: 'changed' },
    { name: 'sales.other.ü', change: 'added' },
  ]);
  const [tag] = await payloadsOf(['post-create-tag'], () => server.engine.createTag('lake', 'v1', 'main'));
  assert.equal(tag?.tables, undefined);
});

test('a commit without tables names none', async () => {
  await server.engine.putObject('lake', 'main', 'plain', Buffer.from('other'));
  const [payload] = await payloadsOf(['post-commit'], () => server.engine.commit('lake', 'main', { ...by, message: 'object' }));
  assert.ok(payload && !('tables' in payload));
});
