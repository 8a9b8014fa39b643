/** Files that are found by their SHA-256 beyond the objects that are looked at one by one. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { encodeEntry } from '@srv/engine/objects/entry';
import { encodeValue } from '@srv/engine/tables/format';
import { identifierType, namespaceOf } from '@srv/lib-stores/block';
import { mostSearched } from '../src/server/by-hash.js';
import { sha256Key } from '../src/server/files.js';
import { addUser, json, startHub } from './support/server.js';
import type {} from '@srv/search/contract';
import type { HubServer } from './support/server.js';

let server: HubServer;
before(async () => {
  server = await startHub({ 'auth.ui_config.rbac': 'internal' }, ['search']);
  await server.engine.createRepository({ id: 'zoo', storageNamespace: 'local://zoo' });
});
after(() => server.stop());

const hashOf = (number: number): string => number.toString(16).padStart(64, '0');
const nameOf = (number: number): string => `part-${String(number).padStart(8, '0')}.bin`;

/** One commit of objects that are only metadata. */
async function commitObjects(count: number): Promise<void> {
  const { engine } = server;
  const changes = (async function* () {
    for (let at = 0; at < count; at += 1000)
      yield Array.from({ length: Math.min(1000, count - at) }, (_, i) => {
        const number = at + i;
        const entry = {
          address: `data/${number}`,
          addressType: identifierType.relative,
          size: number,
          etag: String(number).padStart(32, '0'),
          lastModified: new Date(0),
          metadata: { [sha256Key]: hashOf(number) },
          contentType: 'application/octet-stream',
        };
        return { key: Buffer.from(nameOf(number)), value: encodeValue(encodeEntry(entry)) };
      });
  })();
  const repository = await engine.getRepository('zoo');
  const base = (await engine.getCommit(repository, 'main')).metarangeId;
  const { metarangeId } = await engine.tables.apply({ namespace: namespaceOf(repository), base, changes });
  await engine.commit(repository, 'main', { committer: 'test', message: 'many', sourceMetarange: metarangeId });
}

async function foundPaths(numbers: readonly number[], authorization?: string): Promise<(string | undefined)[]> {
  const objects = numbers.map(number => ({ oid: hashOf(number), size: number }));
  const answer = await server.hub('POST', '/datasets/srv/zoo.git/info/lfs/objects/batch', {
    ...(authorization === undefined ? {} : { headers: { authorization } }),
    body: JSON.stringify({ operation: 'download', objects }),
  });
  assert.equal(answer.status, 200, answer.body);
  const found = json(answer)['objects'] as { actions?: { download: { href: string } } }[];
  return found.map(({ actions }) => actions?.download.href.split('/').at(-1));
}

test('files beyond those that are looked at one by one are found where the repository is indexed, if the caller may read them', async () => {
  const last = mostSearched + 500;
  await commitObjects(last + 1);
  assert.deepEqual(await foundPaths([1, last]), [nameOf(1), undefined]);
  await server.kernel.services.get('search').setSettings('zoo', { branches: ['main'] });
  // More hashes than one query of the index has.
  const numbers = Array.from({ length: 250 }, (_, i) => last - 2 * i);
  assert.deepEqual(await foundPaths([1, ...numbers, last + 1]), [nameOf(1), ...numbers.map(nameOf), undefined]);
  const lister = await addUser(server, 'lister', [
    { action: ['fs:ListObjects'], resource: '*' },
    { action: ['fs:ReadObject'], resource: `arn:lakefs:fs:::repository/zoo/object/${nameOf(last)}` },
  ]);
  assert.deepEqual(await foundPaths([1, last, last - 1], lister), [undefined, nameOf(last), undefined]);
});
