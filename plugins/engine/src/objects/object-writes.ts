/** Writing objects: storing and staging them, copying prefixes, changing metadata. */
import { pathKey } from '@srv/lib-records';
import { identifierType } from '@srv/lib-stores/block';
import { ContentMeter } from './content-meter.js';
import { defaultContentType, pointerOf } from './entries.js';
import { decodeEntry, encodeEntry } from './entry-record.js';
import { ObjectStaging } from './object-staging.js';
import { copyPrefix } from './prefix-copy.js';
import { readSmall } from './small-body.js';
import { isMet, preconditionFailed } from './write-condition.js';
import type { Logger } from '@srv/kernel';
import type { Engine } from '../contract.js';
import type { StoredValue } from '../refs/contract.js';
import type { AddressProvider } from './addresses.js';
import type { StageRequest } from './contract.js';
import type { ObjectStores } from './object-reads.js';

interface ObjectWritesOptions extends ObjectStores {
  readonly log: Logger;
  readonly addresses: AddressProvider;
}

export function createObjectWrites({ refs, block, log, addresses }: ObjectWritesOptions) {
  const staging = new ObjectStaging({ refs, block, log });
  return {
    async putObject(id, branch, path, body, request = {}) {
      const repository = await refs.getRepository(id);
      if (!request.checked) await staging.checkWrite(repository, branch, path, request);
      const record = { address: addresses.next(), addressType: identifierType.relative };
      const { size, storageClass, signal, contentType = '', metadata = {} } = request;
      const meter = new ContentMeter(await readSmall(body, size), request.md5, size);
      const stored = await block
        .put(pointerOf(repository, record), meter.body, {
          size,
          storageClass,
          signal,
          md5: () => meter.md5(),
        })
        .catch((error: unknown) => {
          meter.abandon();
          throw error;
        });
      const found = meter.md5();
      const etag = typeof found === 'string' ? found : await found;
      const entry = {
        lastModified: stored.lastModified,
        size: meter.size,
        etag,
        metadata: { ...metadata, ...request.describe?.({ etag }) },
        contentType: contentType || defaultContentType,
        ...record,
      };
      return staging.stageNew({ repository, branch, path, record: entry }, request);
    },
    checkWrite: async (id, branch, path, request = {}) => staging.checkWrite(await refs.getRepository(id), branch, path, request),
    async stageEntry(repository, branch, path, request: StageRequest) {
      const { address, addressType, size, etag, contentType = defaultContentType, metadata = {}, lastModified = new Date() } = request;
      const record = { address, addressType, size, etag, contentType, metadata, lastModified };
      // An address that no store has is refused before it is staged.
      block.resolve(pointerOf(repository, record));
      // What lies in this namespace or in that of another repository may be old, and in no branch's sight.
      return refs.withPins(repository, { addresses: [address] }, () => staging.stage({ repository, branch, path, record }, request));
    },
    async setObjectMetadata(id, branch, path, metadata, { condition, ...options } = {}) {
      const change = ({ data }: StoredValue): StoredValue => {
        const entry = decodeEntry(data);
        if (condition && !isMet(condition, entry)) throw preconditionFailed(condition);
        return encodeEntry({ ...entry, metadata: typeof metadata === 'function' ? metadata(entry.metadata) : metadata });
      };
      await refs.update(await refs.getRepository(id), branch, pathKey(path), change, options);
    },
    copyPrefix: async (id, branch, request) => copyPrefix(await refs.getRepository(id), branch, request, { refs, block }),
  } satisfies Partial<Engine>;
}
