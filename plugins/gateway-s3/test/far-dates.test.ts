/** Dates of objects that clients of S3 cannot read: an earlier version accepted any, such as milliseconds taken for seconds. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { identifierType } from '@srv/lib-stores/block';
import { send } from './support/raw.js';
import { createRepository, startServer } from './support/server.js';
import type { TestServer } from './support/server.js';

const dates = {
  milliseconds: [new Date(1_764_500_000_000 * 1000), '9999-12-31T23:59:59.999Z', 'Fri, 31 Dec 9999 23:59:59 GMT'],
  last: [new Date(8.64e15), '9999-12-31T23:59:59.999Z', 'Fri, 31 Dec 9999 23:59:59 GMT'],
  first: [new Date(-8.64e15), '0001-01-01T00:00:00.000Z', 'Mon, 01 Jan 0001 00:00:00 GMT'],
  usual: [new Date('2026-05-01T12:00:00.123Z'), '2026-05-01T12:00:00.123Z', 'Fri, 01 May 2026 12:00:00 GMT'],
} as const;

let server: TestServer;
before(async () => {
  server = await startServer();
  await createRepository(server, 'repo');
  const engine = server.kernel.services.get('engine');
  const { address, size, etag } = await engine.putObject('repo', 'main', 'source', Buffer.from('content'));
  const repository = await engine.getRepository('repo');
  for (const [path, [lastModified]] of Object.entries(dates))
    await engine.stageEntry(repository, 'main', path, { address, addressType: identifierType.relative, size, etag, lastModified });
});
after(() => server.stop());

async function check(): Promise<void> {
  const listed = await send(server.port, { url: '/repo?list-type=2&prefix=main/' });
  const versions = await send(server.port, { url: '/repo?versions&prefix=main/' });
  for (const [path, [, inXml, inHeader]] of Object.entries(dates)) {
    assert.match(listed.body, new RegExp(`<Key>main/${path}</Key><LastModified>${inXml}</LastModified>`));
    assert.match(versions.body, new RegExp(`<Key>main/${path}</Key>.{0,99}<LastModified>${inXml}</LastModified>`));
    const { headers } = await send(server.port, { method: 'HEAD', url: `/repo/main/${path}` });
    assert.equal(headers['last-modified'], inHeader, path);
  }
}

test('dates outside of the years 1 to 9999 are shown as the nearest in them, staged and committed', async () => {
  await check();
  await server.kernel.services.get('engine').commit('repo', 'main', { committer: 'tester', message: 'dates' });
  await check();
});
