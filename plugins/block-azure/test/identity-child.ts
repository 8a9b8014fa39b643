/**
 * What `identity.long.test.ts` runs in a process of its own, which trusts the test server's certificate: the store with the
 * default credential chain, whose managed identity is a test server. Prints what it found as JSON.
 */
import { buffer } from 'node:stream/consumers';
import { BlobServiceClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import { collect } from '@srv/kernel/testing';
import { openAzureBlockStore } from '../src/server/open.js';
import { at, container, namespace, quickRetry } from './azurite.js';

const { AZURITE_URL: url = '', AZURITE_KEY: key = '' } = process.env;
const account = 'devstoreaccount1';
await new BlobServiceClient(url, new StorageSharedKeyCredential(account, key)).createContainer(container);

// The key belongs to another account: this one is reached by identity.
const store = openAzureBlockStore({
  storageAccount: 'another',
  storageAccessKey: Buffer.from('of another account').toString('base64'),
  domain: 'azurite.test',
  testEndpointUrl: url,
  retry: quickRetry,
  preSignedExpiry: 3_600_000,
});

await store.put(at('object'), Buffer.from('by identity'));
await store.copy(at('object'), at('copied')).catch((error: unknown) => Promise.reject(new Error('copy', { cause: error })));
const { uploadId } = await store.createMultipart(at('joined'));
const part = await store.uploadPart(at('joined'), uploadId, 1, Buffer.from('part'));
await store.completeMultipart(at('joined'), uploadId, [{ partNumber: 1, ...part }]);
const [one, two] = await Promise.all([store.preSign(at('object'), 'read', 'a.txt'), store.preSign(at('copied'), 'read')]);
const signed = await fetch(one.url);
const found = {
  read: (await buffer(await store.get(at('object')))).toString(),
  walked: (await collect(store.walk(namespace))).map(o => o.relativeKey),
  signedStatus: signed.status,
  signedBody: await signed.text(),
  keyOid: new URL(one.url).searchParams.get('skoid'),
  sameKey: new URL(one.url).searchParams.get('ske') === new URL(two.url).searchParams.get('ske'),
  expiry: one.expiry?.getTime(),
};
process.stdout.write(JSON.stringify(found));
