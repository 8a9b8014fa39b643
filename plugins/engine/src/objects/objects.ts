/** Objects of a branch: reading, writing, copying, deleting. */
import { pathKey } from '@srv/lib-records';
import { SrvError, isSrvError } from '@srv/kernel';
import { identifierType, streamLength } from '@srv/lib-stores/block';
import type { Logger } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Repository, RepositoryName, StoredValue, ValueCondition } from '../refs/contract.js';
import type { Refs } from '../refs/service.js';
import type { Engine } from '../contract.js';
import type { Entry, PutRequest, StageRequest, WriteCondition } from './contract.js';
import type { AddressProvider } from './addresses.js';
import { ContentMeter } from './content-meter.js';
import { defaultContentType, entryFrom, entryOf, pointerOf } from './entries.js';
import { decodeEntry, encodeEntry } from './entry-record.js';
import type { EntryRecord } from './entry-record.js';
import { copyPrefix } from './prefix-copy.js';
import { readSmall } from './small-body.js';

interface ObjectsOptions {
  readonly refs: Refs;
  readonly block: BlockStore;
  readonly log: Logger;
  readonly addresses: AddressProvider;
}

const maxDeletePaths = 1000;

/** What addresses of a repository's own objects begin with. */
function addressRoot(block: BlockStore, repository: Repository): string {
  return block.resolve(pointerOf(repository, { address: 'x', addressType: identifierType.relative })).slice(0, -1);
}

export function createObjects({ refs, block, log, addresses }: ObjectsOptions) {
  const repositoryOf = (name: RepositoryName): Promise<Repository> => refs.getRepository(name);

  /** Stages a record; what was stored for it is removed again when that fails. */
  async function stage(
    repository: Repository,
    branch: string,
    path: string,
    record: EntryRecord,
    { condition, force = false }: Pick<PutRequest, 'condition' | 'force'>,
  ): Promise<Entry> {
    await refs.set(repository, branch, pathKey(path), encodeEntry(record), {
      force,
      ...(condition ? { condition: conditionOf(condition) } : {}),
    });
    return entryOf(block, repository, path, record);
  }

  async function stageNew(
    repository: Repository,
    branch: string,
    path: string,
    record: EntryRecord,
    request: Pick<PutRequest, 'condition' | 'force'>,
  ): Promise<Entry> {
    try {
      return await stage(repository, branch, path, record, request);
    } catch (error) {
      // A write that may have landed may have been committed: then its object must stay.
      if (isSrvError(error) && error.details['unwritten'] === true) {
        await block
          .remove(pointerOf(repository, record))
          .catch((late: unknown) => log.warn({ path, error: String(late) }, 'cannot remove an object that was not staged'));
      }
      throw error;
    }
  }

  async function checkWrite(
    repository: Repository,
    branch: string,
    path: string,
    { force = false, condition }: Pick<PutRequest, 'force' | 'condition'>,
  ): Promise<void> {
    const key = pathKey(path);
    await refs.checkBranchWrite(repository, branch, { force });
    if (condition && !conditionOf(condition)(await refs.get(repository, branch, key))) throw preconditionFailed(condition);
  }

  async function getEntry(repository: Repository, ref: string, path: string): Promise<Entry> {
    const value = await refs.get(repository, ref, pathKey(path));
    if (!value)
      throw new SrvError('not_found', `object ${JSON.stringify(path)} at ref ${JSON.stringify(ref)}: not found`, {
        details: { path, ref },
      });
    return entryFrom(block, repository, path, value);
  }

  return {
    getEntry: async (id, ref, path) => getEntry(await repositoryOf(id), ref, path),
    async open(id, entry, { range, signal } = {}) {
      const repository = await repositoryOf(id);
      const options = { expectedSize: entry.size, ...(range ? { range } : {}), ...(signal ? { signal } : {}) };
      const body = await block.get(pointerOf(repository, entry), options);
      const [found, wanted] = [streamLength(body), range ? range.end - range.start + 1 : entry.size];
      if (found === undefined || found === wanted) return body;
      // Bytes of another object: not even a part of them is what was written.
      body.destroy();
      throw new SrvError(
        'corrupt',
        `object ${JSON.stringify(entry.path)}: the block store has ${found} bytes at ${entry.physicalAddress} where its entry has ${wanted}; write the object again, or restore it in the block store`,
        { details: { path: entry.path } },
      );
    },

    async putObject(id, branch, path, body, request = {}) {
      const repository = await repositoryOf(id);
      if (!request.checked) await checkWrite(repository, branch, path, request);
      const record = { address: addresses.next(), addressType: identifierType.relative };
      const { size, storageClass, signal, contentType = '', metadata = {} } = request;
      const meter = new ContentMeter(await readSmall(body, size), request.md5);
      const stored = await block
        .put(pointerOf(repository, record), meter.body, {
          ...(size === undefined ? {} : { size }),
          ...(storageClass === undefined ? {} : { storageClass }),
          ...(signal ? { signal } : {}),
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
      return stageNew(repository, branch, path, entry, request);
    },
    checkWrite: async (id, branch, path, request = {}) => checkWrite(await repositoryOf(id), branch, path, request),
    async stageEntry(id, branch, path, request: StageRequest) {
      const repository = await repositoryOf(id);
      const { address, addressType, size, etag, contentType = defaultContentType, metadata = {}, lastModified = new Date() } = request;
      const record = { address, addressType, size, etag, contentType, metadata, lastModified };
      // What lies in the namespace may be old, and in no branch's sight.
      const inside = block.resolve(pointerOf(repository, record)).startsWith(addressRoot(block, repository));
      return inside
        ? refs.withPins(repository, { addresses: [address] }, () => stage(repository, branch, path, record, request))
        : stage(repository, branch, path, record, request);
    },
    async copyObject(id, source, destination, options = {}) {
      const repository = await repositoryOf(id);
      await checkWrite(repository, destination.branch, destination.path, options);
      const { path: _, physicalAddress: __, ...from } = await getEntry(repository, source.ref, source.path);
      const record = { ...from, address: addresses.next(), addressType: identifierType.relative };
      await block.copy(pointerOf(repository, from), pointerOf(repository, record));
      return stageNew(
        repository,
        destination.branch,
        destination.path,
        { ...record, lastModified: new Date(), lastModifiedNanos: 0 },
        options,
      );
    },
    deleteObject: async (id, branch, path, options) => refs.delete(await repositoryOf(id), branch, [pathKey(path)], options),
    async deleteObjectIf(id, branch, path, condition, options) {
      const repository = await repositoryOf(id);
      const holds = (current: StoredValue): boolean => condition(entryFrom(block, repository, path, current));
      await refs.deleteIf(repository, branch, pathKey(path), holds, options);
    },
    async deleteObjects(id, branch, paths, options) {
      if (paths.length > maxDeletePaths) throw new SrvError('invalid', `request size exceeded, max paths is set to ${maxDeletePaths}`);
      const repository = await repositoryOf(id);
      await refs.getBranch(repository, branch);
      const keys = new Map<string, Buffer>();
      const failures: { path: string; error: unknown }[] = [];
      for (const path of paths.filter(p => p !== '')) {
        try {
          keys.set(path, pathKey(path));
        } catch (error) {
          failures.push({ path, error });
        }
      }
      try {
        await refs.delete(repository, branch, [...keys.values()], options);
      } catch (error) {
        failures.push(...[...keys.keys()].map(path => ({ path, error })));
      }
      return failures;
    },
    async setObjectMetadata(id, branch, path, metadata, options) {
      const change = ({ data }: StoredValue): StoredValue => {
        const entry = decodeEntry(data);
        return encodeEntry({ ...entry, metadata: typeof metadata === 'function' ? metadata(entry.metadata) : metadata });
      };
      await refs.update(await repositoryOf(id), branch, pathKey(path), change, options);
    },

    async copyPrefix(id, branch, request) {
      return copyPrefix(await repositoryOf(id), branch, request, refs);
    },
  } satisfies Partial<Engine>;
}

function conditionOf(condition: WriteCondition): ValueCondition {
  if ('ifAbsent' in condition) return current => current === undefined;
  const wanted = condition.ifMatch.replaceAll('"', '');
  return current => current !== undefined && (wanted === '*' || decodeEntry(current.data).etag === wanted);
}

function preconditionFailed(condition: WriteCondition): SrvError {
  return new SrvError(
    'precondition_failed',
    'ifAbsent' in condition ? 'path already exists' : `Precondition failed: the object's ETag is not ${condition.ifMatch}`,
  );
}
