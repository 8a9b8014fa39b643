/** Azure Blob Storage with an account's key. Paths are `container/key`. */
import { BlobServiceClient, RestError, StorageSharedKeyCredential } from '@azure/storage-blob';
import { readWhole } from './protocol.js';
import type { Readable } from 'node:stream';
import type { BlockBlobClient } from '@azure/storage-blob';
import type { Input, OutsideService } from './protocol.js';

function blobOf(input: Input): BlockBlobClient {
  const [account, path] = [input.text('account'), input.text('path')];
  const slash = path.indexOf('/');
  if (slash <= 0) throw new Error(`the path ${JSON.stringify(path)} names no container: write container/key`);
  // A URL in place of a name leads to a server of one's own.
  const url = account.includes('://') ? account : `https://${account}.blob.core.windows.net`;
  const name = account.includes('://') ? new URL(url).pathname.slice(1) : account;
  const service = new BlobServiceClient(url, new StorageSharedKeyCredential(name, input.text('key')));
  return service.getContainerClient(path.slice(0, slash)).getBlockBlobClient(path.slice(slash + 1));
}

const isMissing = (error: unknown): boolean => error instanceof RestError && error.statusCode === 404;

const azure: OutsideService = {
  async get(input, limits) {
    try {
      const { readableStreamBody } = await blobOf(input).download();
      return readableStreamBody === undefined ? new Uint8Array() : await readWhole(readableStreamBody as Readable, limits);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },
  async put(input) {
    await blobOf(input).uploadData(input.bytes('data'));
  },
  async delete(input) {
    await blobOf(input).deleteIfExists();
  },
};

export default azure;
