/** A block store that resolves addresses and signs URLs; bytes are the fake catalog's. */
import { Readable } from 'node:stream';
import { SrvError } from '@srv/kernel';
import { formatLocation, locate } from '@srv/lib-stores/block';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';

function missing(): never {
  throw new SrvError('unsupported', 'not part of this test');
}

export function memoryBlock(preSign: boolean): BlockStore {
  const resolve = (pointer: ObjectPointer): string => formatLocation(locate(pointer, ['mem']));
  return {
    type: 'mem',
    info: {
      type: 'mem',
      namespacePattern: '^mem://',
      namespaceExample: 'mem://example-bucket/',
      defaultNamespacePrefix: '',
      preSign,
      preSignUi: false,
      preSignMultipart: false,
      importSupported: false,
      importPattern: '^mem://',
      productionSafe: false,
    },
    resolve,
    put: missing,
    get: async () => Readable.from([]),
    exists: async () => true,
    properties: async () => ({ size: 0, lastModified: new Date(), etag: '' }),
    remove: missing,
    removeAll: missing,
    copy: missing,
    createMultipart: missing,
    uploadPart: missing,
    copyPart: missing,
    listParts: missing,
    completeMultipart: missing,
    abortMultipart: missing,
    preSign: async (pointer, mode) => ({
      url: `https://store.test/${encodeURIComponent(resolve(pointer))}?${mode}`,
      expiry: new Date(1_900_000_000_000),
    }),
    preSignPart: missing,
    walk: missing,
    close: async () => {},
  };
}
