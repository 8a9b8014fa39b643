import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { BlockBlobClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { ScriptedHttp, passOn } from '@srv/test-servers';
import { listHierarchy } from '../src/server/walk.js';
import { at, namespace, useAzurite } from './azurite.js';
import type { BlobItem, ContainerClient } from '@azure/storage-blob';

const { server, open } = useAzurite();
const bytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Lists as accounts with a hierarchical namespace do: by names of folders and blobs, without regard to the slash. */
function hierarchical(names: readonly string[], pageSize: number): ContainerClient {
  const byPage = async function* (prefix: string) {
    const below = names.filter(name => name.startsWith(prefix)).map(name => name.slice(prefix.length));
    const folders = new Set(below.filter(name => name.includes('/')).map(name => name.slice(0, name.indexOf('/'))));
    const entries = [
      ...[...folders].map(name => ({ name, folder: true })),
      ...below.filter(name => !name.includes('/')).map(name => ({ name, folder: false })),
    ].sort((a, b) => bytes(a.name, b.name));
    for (let from = 0; from < entries.length; from += pageSize) {
      const page = entries.slice(from, from + pageSize);
      yield {
        segment: {
          blobPrefixes: page.filter(e => e.folder).map(e => ({ name: `${prefix}${e.name}/` })),
          blobItems: page.filter(e => !e.folder).map(e => ({ name: prefix + e.name }) as BlobItem),
        },
      };
    }
  };
  return {
    listBlobsByHierarchy: (_: string, { prefix }: { prefix: string }) => ({ byPage: () => byPage(prefix) }),
  } as unknown as ContainerClient;
}

test('accounts that list folder by folder are walked in byte order', async () => {
  const seed = randomInt(2 ** 31);
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
  const letters = ['a', 'b', '.', '-', '0', '/'];
  for (let round = 0; round < 200; round++) {
    const names = new Set<string>();
    for (let i = 0; i < 25; i++) {
      const name = Array.from({ length: 1 + random(6) }, () => letters[random(letters.length)]).join('');
      // A folder and a blob of one name cannot be in such an account, nor can empty names of folders.
      const folded = name.replace(/\/+/g, '/').replace(/^\/|\/$/g, '');
      if (folded !== '' && ![...names].some(n => n.startsWith(`${folded}/`) || folded.startsWith(`${n}/`))) names.add(folded);
    }
    const found = await collect(listHierarchy(hierarchical([...names], 1 + random(4)), { prefix: '', pageSize: 5 }));
    assert.deepEqual(
      found.map(item => item.name),
      [...names].sort(bytes),
      `seed ${seed}, round ${round}`,
    );
  }
});

test('walks a hierarchical account as such, without its folders as objects', async t => {
  const origin = new URL(server().url).origin;
  let asked = 0;
  const http = await ScriptedHttp.open((request, response) => {
    if (!request.url?.includes('restype=account')) {
      passOn(origin, request, response);
      return;
    }
    asked++;
    response.writeHead(200, { 'x-ms-sku-name': 'Standard_LRS', 'x-ms-account-kind': 'StorageV2', 'x-ms-is-hns-enabled': 'true' }).end();
  });
  t.after(() => http.close());
  const store = open({ testEndpointUrl: `${http.url}/${server().account}` });
  const keys = ['h/a/x', 'h/a/y/z', 'h/a.txt', 'h/a-b', 'h/b'];
  for (const key of keys) await store.put(at(key), Buffer.from(key));
  const key = new StorageSharedKeyCredential(server().account, server().accessKey);
  const folder = new BlockBlobClient(`${server().url}/objects/h/folder`, key);
  await folder.upload('', 0, { metadata: { hdi_isfolder: 'true' } });
  for (let time = 0; time < 2; time++) {
    const found = await collect(store.walk(`${namespace}/h/`));
    assert.deepEqual(
      found.map(o => o.relativeKey),
      ['a-b', 'a.txt', 'a/x', 'a/y/z', 'b'],
    );
  }
  assert.equal(asked, 1, 'an account is asked once');
  const flat = await collect(open().walk(`${namespace}/h/`));
  assert.equal(flat.length, 5, 'folders are left out of plain listings, too');
});

test('a prefix may end within a name; keys are relative to its last folder', async () => {
  const store = open();
  for (const key of ['p/file1', 'p/file10', 'p/other']) await store.put(at(key), Buffer.from(key));
  const found = await collect(store.walk(`${namespace}/p/file1`));
  assert.deepEqual(
    found.map(({ relativeKey, address }) => ({ relativeKey, address })),
    ['file1', 'file10'].map(name => ({ relativeKey: name, address: `${namespace}/p/${name}` })),
  );
});

test('names are percent-encoded in addresses, and prefixes are decoded', async () => {
  const store = open();
  await store.put(at('enc/a b%20c?'), Buffer.from('x'));
  const [found] = await collect(store.walk(`${namespace}/enc/a%20b`));
  assert.equal(found?.address, `${namespace}/enc/a%20b%2520c%3F`);
  assert.equal(found?.relativeKey, 'a b%20c?');
});

test('walks need an address of the domain', async () => {
  const walk = (uri: string) => collect(open().walk(uri));
  await rejectsWith(
    () => walk('https://devstoreaccount1.blob.core.windows.net/c/'),
    'invalid',
    /domain mismatch! expected <account>\.azurite\.test/,
  );
  await rejectsWith(() => walk('s3://bucket/'), 'invalid');
});
