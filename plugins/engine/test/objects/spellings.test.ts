/** The spellings in which an address is compared with storage namespaces. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SrvError } from '@srv/kernel';
import { spellingsOf } from '../../src/objects/namespace-check.js';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';

/** Of one host, in either scheme, with a container that may be encoded; an object has a key. */
const store = {
  info: { wholeSegments: 2 },
  resolve({ identifier }: ObjectPointer): string {
    const [, container = '', key = ''] = /^https?:\/\/acct\/([^/]+)\/?(.*)$/s.exec(identifier) ?? [];
    if (key === '') throw new SrvError('invalid', `${identifier}: missing object key`);
    return `https://acct/${decodeURIComponent(container)}/${decodeURIComponent(key)}`;
  },
} as unknown as BlockStore;

test('a prefix has the spelling of what it lists, also where it names no object', () => {
  for (const given of ['http://acct/cont', 'http://acct/cont/', 'https://acct/%63ont/', 'https://acct/cont'])
    assert.ok(spellingsOf(store, given, true).includes('https://acct/cont/'), given);
  assert.deepEqual(spellingsOf(store, 'http://acct/cont/a%2Fb', true), ['http://acct/cont/a%2Fb', 'https://acct/cont/a/b']);
  assert.deepEqual(spellingsOf(store, 's3://cont/a', true), ['s3://cont/a']);
});

test('an object has that of the store', () => {
  assert.deepEqual(spellingsOf(store, 'http://acct/cont/a'), ['http://acct/cont/a', 'https://acct/cont/a']);
  assert.deepEqual(spellingsOf(store, 'http://acct/cont/'), ['http://acct/cont/']);
});
