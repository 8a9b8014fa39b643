/** A block store that measures its operations, and otherwise delegates to the wrapped store; of several, each does. */
import { ReadyStream, mapStores } from '@srv/lib-stores/block';
import { BlockOperations } from './block-operations.js';
import { measuredPages } from './pages.js';
import { countBytes, whenClosed } from './stream.js';
import type { Readable } from 'node:stream';
import type { Metrics } from '@srv/kernel/metrics';
import type { BlockStore, ObjectPointer, PutOptions, UploadStep, VendRequest } from '@srv/lib-stores/block';

export function measureBlockStore(block: BlockStore, metrics: Metrics): BlockStore {
  return mapStores(block, (store, storageId) => measured(store, new BlockOperations(store.type, storageId, metrics)));
}

/** Methods that are questions or one request each; `put`, `get` and the like move bytes and stand below. */
function measured(store: BlockStore, operations: BlockOperations): BlockStore {
  const { region, checkReadable, openUploads, putFile, preSignUpload, vend } = store;
  const of = (name: string) => operations.get(name);
  const [put, uploadPart, get, getRange, walk] = [of('put'), of('upload_part'), of('get'), of('get_range'), of('walk')];
  const [exists, properties, remove, copy] = [of('exists'), of('get_properties'), of('remove'), of('copy')];
  const [createMultipart, copyPart, copyPartRange] = [of('create_multipart_upload'), of('upload_copy_part'), of('upload_copy_part_range')];
  const [listParts, complete, abort] = [of('list_parts'), of('complete_multipart_upload'), of('abort_multipart_upload')];
  const [preSign, preSignPart, getRegion] = [of('get_presigned_url'), of('get_presign_upload_part_url'), of('get_region')];
  const [removeAll, uploads, vendCredentials] = [of('remove_all'), of('list_multipart_uploads'), of('vend_credentials')];

  return {
    type: store.type,
    get info() {
      return store.info;
    },
    resolve: pointer => store.resolve(pointer),
    put: (pointer, body, options) => put.run(() => store.put(pointer, body, options), sizeOf(body, options)),
    async get(pointer, options) {
      const operation = options?.range ? getRange : get;
      const end = operation.begin();
      try {
        const stream = await store.get(pointer, options);
        if (stream instanceof ReadyStream) {
          end(false, stream.ready.length);
          return stream;
        }
        const count = countBytes(stream);
        whenClosed(stream, failed => end(failed, count.bytes));
        return stream;
      } catch (error) {
        end(true);
        throw error;
      }
    },
    exists: pointer => exists.run(() => store.exists(pointer)),
    properties: pointer => properties.run(() => store.properties(pointer)),
    remove: pointer => remove.run(() => store.remove(pointer)),
    removeAll: (pointers, options) => removeAll.run(() => store.removeAll(pointers, options)),
    copy: (source, destination, signal) => copy.run(() => store.copy(source, destination, signal)),
    createMultipart: (pointer, options) => createMultipart.run(() => store.createMultipart(pointer, options)),
    uploadPart: (pointer, uploadId, partNumber, body, options) =>
      uploadPart.run(() => store.uploadPart(pointer, uploadId, partNumber, body, options), sizeOf(body, options)),
    copyPart: (source, destination, uploadId, partNumber, range) =>
      (range ? copyPartRange : copyPart).run(() => store.copyPart(source, destination, uploadId, partNumber, range)),
    listParts: (pointer, uploadId, options) => listParts.run(() => store.listParts(pointer, uploadId, options)),
    completeMultipart: (pointer, uploadId, parts) => complete.run(() => store.completeMultipart(pointer, uploadId, parts)),
    abortMultipart: (pointer, uploadId) => abort.run(() => store.abortMultipart(pointer, uploadId)),
    preSign: (pointer, mode, filename) => preSign.run(() => store.preSign(pointer, mode, filename)),
    preSignPart: (pointer, uploadId, partNumber) => preSignPart.run(() => store.preSignPart(pointer, uploadId, partNumber)),
    walk: (uri, options) => measuredPages(store.walk(uri, options), step => walk.run(step)),
    ...(checkReadable ? { checkReadable: (pointer: ObjectPointer) => checkReadable.call(store, pointer) } : {}),
    ...(openUploads
      ? {
          openUploads: (uri: string, options?: { readonly signal?: AbortSignal | undefined }) =>
            measuredPages(openUploads.call(store, uri, options), step => uploads.run(step)),
        }
      : {}),
    ...(putFile
      ? {
          putFile: (pointer: ObjectPointer, path: string, options?: Pick<PutOptions, 'size'>) =>
            put.run(() => putFile.call(store, pointer, path, options), options?.size),
        }
      : {}),
    ...(preSignUpload
      ? { preSignUpload: (pointer: ObjectPointer, step: UploadStep) => preSignPart.run(() => preSignUpload.call(store, pointer, step)) }
      : {}),
    ...(vend ? { vend: (uri: string, request: VendRequest) => vendCredentials.run(() => vend.call(store, uri, request)) } : {}),
    ...(region ? { region: (namespace: string) => getRegion.run(() => region.call(store, namespace)) } : {}),
    close: () => store.close(),
  };
}

/** Bytes, where they are known before they have been sent. */
function sizeOf(body: Readable | Buffer, options: PutOptions | undefined): number | undefined {
  return Buffer.isBuffer(body) ? body.length : options?.size;
}
