import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatLocation, locate, storageRoots } from '@srv/lib-stores/block';
import { checkExternal, linkValidity, signAddress, splitAddress, verifyAddress } from '../../src/operations/objects/address.js';
import type { ObjectPointer } from '@srv/lib-stores/block';

const key = 'some-secret';
const address = 'data/ggq2f8tpocvs73ftd1qg/coddo7tpocvs73ftd7u0';
const place = { repository: 'my-repo', branch: 'main', path: 'foo/bar.txt' };
const made = new Date('2024-04-13T19:25:19Z');

describe('signed addresses', () => {
  it('have the signatures of existing installations', () => {
    assert.equal(signAddress(address, place, key), `${address},kMJn1gbNEJo2sCo5V_VU6kLhhjzGm5e2EzqFBZNfBOI`);
    assert.equal(
      signAddress(address, { ...place, path: 'a<b>&c é \u2028.txt' }, key),
      `${address},GNtkG1LQY3FutCU-Nf8OgELpiGV9cmjko_DEihFTf4w`,
    );
  });

  it('are good for a day, for their place and key', () => {
    const signed = signAddress(address, place, key);
    verifyAddress(signed, place, key, made);
    verifyAddress(signed, place, key, new Date(made.getTime() + linkValidity));
    const refusals: [string, string, Parameters<typeof verifyAddress>][] = [
      ['unsigned', 'address is not signed: link address invalid', [address, place, key, made]],
      ['damaged', 'malformed address signature: not base64url: link address invalid', [`${address},***`, place, key, made]],
      ['other branch', 'invalid address signature: invalid address', [signed, { ...place, branch: 'dev' }, key, made]],
      ['other key', 'invalid address signature: invalid address', [signed, place, 'other', made]],
      ['other address', 'invalid address signature: invalid address', [signed.replace('7u0', '7ug'), place, key, made]],
      ['too old', 'link address expired', [signed, place, key, new Date(made.getTime() + linkValidity + 1)]],
    ];
    for (const [name, message, call] of refusals) assert.throws(() => verifyAddress(...call), { code: 'invalid', message }, name);
  });

  it('are relative below the data folder only', () => {
    assert.deepEqual(splitAddress(['s3://b/p/'], 's3://b/p/data/x/y'), { address: 'data/x/y', relative: true });
    assert.deepEqual(splitAddress(['local://r/', 'local:///base/r/'], 'local:///base/r/data/x'), { address: 'data/x', relative: true });
    assert.deepEqual(splitAddress(['s3://b/p/'], 's3://b/p/_srv/x'), { address: 's3://b/p/_srv/x', relative: false });
    assert.deepEqual(splitAddress(['s3://b/p/'], 's3://b/pdata/x'), { address: 's3://b/pdata/x', relative: false });
  });
});

it('an address in the namespace is not external, in whichever spelling', async () => {
  const block = {
    type: 's3',
    info: { namespacePattern: '^s3://' },
    resolve: (pointer: ObjectPointer) => formatLocation(locate(pointer, ['s3'])).replaceAll('%20', ' '),
  };
  const roots = storageRoots(block, 's3://b/my ns');
  for (const inside of ['s3://b/my ns/_srv/x', 's3://b/my%20ns/_srv/x', 's3://b/my%20ns/data/x'])
    await assert.rejects(checkExternal(block, roots, inside), { code: 'invalid', message: /lies in the storage namespace/ }, inside);
  await checkExternal(block, roots, 's3://b/my%20ns2/x');
});
