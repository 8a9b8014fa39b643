/** Addresses of table files: in the gateway and in the store. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filePath, isFileOf, isInStore, newLocation, ownAddress, storeFolder } from '../src/server/storage/table-files.js';

const place = { repository: 'lake', ref: 'dev', namespace: ['sales', 'eu'], table: 'books_1' };
const stores = {
  's3://bucket/some/repo': 's3://bucket/some/repo/tables/',
  's3://bucket/some/repo/': 's3://bucket/some/repo/tables/',
  'gs://bucket/repo': 'gs://bucket/repo/tables/',
  'https://acct.blob.core.windows.net/box/repo': 'abfss://box@acct.dfs.core.windows.net/repo/tables/',
  'https://acct.blob.core.chinacloudapi.cn/box/a/b': 'abfss://box@acct.dfs.core.chinacloudapi.cn/a/b/tables/',
};

test('a store has a folder of table files as engines spell it, and a folder of the machine has none', () => {
  for (const [storageNamespace, folder] of Object.entries(stores)) assert.equal(storeFolder({ storageNamespace }), folder);
  for (const storageNamespace of ['local://lake', 'mem://lake']) {
    assert.equal(storeFolder({ storageNamespace }), undefined);
    assert.equal(newLocation(place, 'u', { id: 'lake', storageNamespace }, 'store'), 's3://lake/.tables/sales/eu/books_1-u');
  }
});

test('tables of different names have different folders, whichever UUID a client chooses', () => {
  const parts = ['a', 'a_b', 'a.b', 'a b', 'a/b', 'a%b', 'ä_b', 'a__b', 'a\u{1f600}b', '_', '.', '..', '-', 'A'];
  const names = parts.flatMap(one => parts.map(other => ({ repository: 'lake', ref: 'dev', namespace: [one], table: other })));
  const folders = names.map(name => newLocation(name, 'u', { id: 'lake', storageNamespace: 'local://lake' }, 'gateway'));
  assert.equal(new Set(folders).size, names.length);
  for (const folder of folders) assert.match(folder, /^s3:\/\/lake\/\.tables(\/\w[^/\s]*|\/-[^/]*){2}$/);
});

test('a file is the same one under its address in the gateway, in the store and in the gateway of a copy', () => {
  for (const [storageNamespace, folder] of Object.entries(stores)) {
    const repository = { id: 'lake', storageNamespace };
    const inStore = newLocation(place, 'u', repository, 'store');
    const inGateway = newLocation(place, 'u', repository, 'gateway');
    assert.deepEqual([inStore, inGateway], [`${folder}sales/eu/books_1-u`, 's3://lake/.tables/sales/eu/books_1-u']);
    const spellings = [
      inStore,
      inGateway,
      inGateway.replace('s3:', 's3a:').replace('lake', 'origin'),
      inStore.replace('/tables/', '//tables/'),
    ];
    for (const address of spellings) {
      assert.equal(filePath(repository, address), 'sales/eu/books_1-u', address);
      assert.equal(ownAddress(repository, address), inGateway);
      // Of a file of another name in a store of objects.
      assert.equal(ownAddress(repository, `${address}//data//x`), `${inGateway}//data//x`);
    }
    assert.deepEqual(
      spellings.map(address => isInStore(repository, address)),
      [true, false, false, true],
    );
  }
});

test('a file of a table lies below its location, with an address of the same kind, and not in the gateway of a copy', () => {
  for (const storageNamespace of Object.keys(stores)) {
    const repository = { id: 'lake', storageNamespace };
    const places = (['store', 'gateway'] as const).map(locations => newLocation(place, 'u', repository, locations));
    for (const location of places)
      for (const other of places) {
        for (const path of ['metadata/x.avro', '/metadata//x.avro'])
          assert.equal(isFileOf(repository, location, `${other}/${path}`), other === location, other);
        for (const elsewhere of [other, `${other}2/x.avro`, `${other}/../x.avro`, other.replace('sales', '/sales/x.avro')])
          assert.ok(!isFileOf(repository, location, elsewhere));
      }
    assert.ok(!isFileOf(repository, places[1] ?? '', 's3://origin/.tables/sales/eu/books_1-u/x.avro'));
  }
});

test('however a scheme of a store is spelled, the file is the same; other places are elsewhere', () => {
  const azure = { id: 'lake', storageNamespace: 'https://acct.blob.core.windows.net/box/repo' };
  for (const address of ['abfs://box@acct.dfs.core.windows.net/repo/tables/x', 'wasbs://box@acct.blob.core.windows.net/repo/tables/x'])
    assert.equal(filePath(azure, address), 'x', address);
  const s3 = { id: 'lake', storageNamespace: 's3://bucket/some/repo' };
  assert.equal(filePath(s3, 's3n://bucket/some/repo/tables/x'), 'x');
  const elsewhere = [
    's3://bucket/some/repo2/tables/x',
    's3://bucket/some/repo/data/x',
    's3://bucket2/some/repo/tables/x',
    'gs://bucket/some/repo/tables/x',
    'x',
    '',
  ];
  for (const address of elsewhere) {
    assert.equal(filePath(s3, address), undefined, address);
    assert.equal(ownAddress(s3, address), address);
    assert.equal(isInStore(s3, address), false);
  }
});
