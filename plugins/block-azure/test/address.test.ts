import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rejectsWith } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import { blobUri, findBlob, formatUri, parseUri } from '../src/server/address.js';

const domain = 'blob.core.windows.net';
const relative = (namespace: string, identifier: string) => ({ namespace, identifier, identifierType: identifierType.relative });
const full = (identifier: string) => ({
  namespace: 'https://other.blob.core.windows.net/x',
  identifier,
  identifierType: identifierType.full,
});
const acct = `https://acct.${domain}`;

test('relative keys are taken as they are, below the prefix of the namespace', () => {
  for (const [namespace, key, blob, uri] of [
    [`${acct}/c`, 'a/b', 'a/b', `${acct}/c/a/b`],
    [`${acct}/c/`, 'a/b', 'a/b', `${acct}/c/a/b`],
    [`http://acct.${domain}/c/p/q`, 'a', 'p/q/a', `${acct}/c/p/q/a`],
    [`${acct}/c/p`, '/a//b/', 'p//a//b/', `${acct}/c/p//a//b/`],
    [`${acct}/c`, 'a%20b', 'a%20b', `${acct}/c/a%2520b`],
    [`${acct}/c`, '100%', '100%', `${acct}/c/100%25`],
    [`${acct}/c`, 'what?x=1#y', 'what?x=1#y', `${acct}/c/what%3Fx=1%23y`],
    [`${acct}/c`, 'data/p/id,signature', 'data/p/id,signature', `${acct}/c/data/p/id,signature`],
    [`${acct}/c`, 'é 😀', 'é 😀', `${acct}/c/%C3%A9%20%F0%9F%98%80`],
    [`${acct}/c/with%20space`, 'a', 'with space/a', `${acct}/c/with%20space/a`],
  ] as const) {
    assert.deepEqual(findBlob(relative(namespace, key), domain), { account: 'acct', container: 'c', blob });
    assert.equal(blobUri(relative(namespace, key), domain), uri);
    assert.deepEqual(findBlob(full(uri), domain), { account: 'acct', container: 'c', blob }, 'the URI leads to the same blob');
    assert.deepEqual(parseUri(formatUri({ account: 'acct', container: 'c', blob }, domain), domain), {
      account: 'acct',
      container: 'c',
      blob,
    });
  }
});

test('every spelling of a blob resolves to the one that listings give', () => {
  for (const [namespace, folder] of [
    [`${acct}/c/with space`, 'with space'],
    [`${acct}/c/with%20space/`, 'with space'],
    [`http://acct.${domain}/c/w%69th space`, 'with space'],
    [`${acct}/c/é`, 'é'],
    [`${acct}/c/%C3%A9//`, 'é/'],
    [`${acct}/c/100%`, '100%'],
    [`${acct}/c/%FF`, '%FF'],
    [`${acct}/%63`, ''],
    [`${acct}/c//`, ''],
  ] as const) {
    const name = folder === '' ? 'data/x' : `${folder}/data/x`;
    const listed = formatUri({ account: 'acct', container: 'c', blob: name }, domain);
    assert.equal(blobUri(relative(namespace, 'data/x'), domain), listed);
    assert.equal(blobUri(full(listed), domain), listed);
    assert.equal(findBlob(full(listed), domain).blob, name);
  }
  for (const spelling of ['with space/data/x', 'with%20space/data/x', 'w%69th%20space%2Fdata/%78'])
    for (const scheme of ['http', 'https', 'HTTPS'])
      assert.equal(blobUri(full(`${scheme}://acct.${domain}/c/${spelling}`), domain), `${acct}/c/with%20space/data/x`);
  assert.equal(findBlob(full(`${acct}/c/with space/data/x`), domain).blob, 'with space/data/x');
});

test('decodes full URIs and keeps what is not an escape', () => {
  for (const [path, blob] of [
    ['a%20b', 'a b'],
    ['a b', 'a b'],
    ['a%2Fb', 'a/b'],
    ['100%.txt', '100%.txt'],
    ['a%', 'a%'],
    ['a?b#c', 'a?b#c'],
    ['%C3%A9', 'é'],
    ['%FF%41', '%FF%41'],
  ] as const)
    assert.equal(findBlob(full(`${acct}/c/${path}`), domain).blob, blob);
});

test('refuses other domains, hosts and schemes, and addresses without a container or name', async () => {
  for (const address of [`https://acct.blob.core.usgovcloudapi.net/c/x`, 'https://acct/c/x', `https://AC.${domain}/c/x`, 'https:///c/x'])
    await rejectsWith(() => findBlob(full(address), domain), 'invalid', /domain mismatch/);
  await rejectsWith(() => findBlob(full('s3://acct/c/x'), domain), 'invalid', /must start with https:\/\//);
  await rejectsWith(() => findBlob(relative(`${acct}/`, 'x'), domain), 'invalid', /missing container/);
  await rejectsWith(() => findBlob(relative(`${acct}/c`, ''), domain), 'invalid', /missing object key/);
  await rejectsWith(() => parseUri(`${acct}/`, domain), 'invalid', /missing container/);
});

test('refuses names that would be sent as another one', async () => {
  for (const key of ['..', 'a/../b', './a', 'a/.'])
    await rejectsWith(() => findBlob(relative(`${acct}/c`, key), domain), 'invalid', /segment \. or \.\./);
  await rejectsWith(() => blobUri(relative(`${acct}/c`, 'a\ud800'), domain), 'invalid', /valid Unicode/);
  await rejectsWith(() => findBlob(full(`${acct}/c/a/%2E%2E/b`), domain), 'invalid', /segment/);
});
