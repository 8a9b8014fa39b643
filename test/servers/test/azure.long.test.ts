import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { startAzurite } from '../src/azure.js';

const reachable = async (url: string): Promise<boolean> =>
  fetch(url).then(
    async answer => (await answer.arrayBuffer()) !== undefined,
    () => false,
  );
const folders = (): string[] => readdirSync(tmpdir()).filter(name => name.startsWith('srv-azurite-'));

test('Azurite keeps its address over a stop, and leaves nothing when closed', async () => {
  const before = new Set(folders());
  const server = await startAzurite();
  const [folder = ''] = folders().filter(name => !before.has(name));
  assert.equal(await server.createContainer('kept'), 'https://devstoreaccount1.azurite.test/kept');
  await server.stop();
  await server.stop();
  assert.equal(await reachable(server.url), false);
  await server.start();
  assert.equal(await reachable(server.url), true);
  await assert.rejects(() => server.createContainer('x'), /container x: 400/);
  assert.ok(server.env['SRV_BLOCKSTORE_AZURE_TEST_ENDPOINT_URL'] === server.url);
  await server.close();
  await server.close();
  assert.equal(await reachable(server.url), false);
  assert.equal(existsSync(`${tmpdir()}/${folder}`), false);
});

test('two servers run at the same time', async () => {
  const servers = await Promise.all([startAzurite(), startAzurite()]);
  assert.notEqual(servers[0]?.url, servers[1]?.url);
  await Promise.all(servers.map(server => server.close()));
});
