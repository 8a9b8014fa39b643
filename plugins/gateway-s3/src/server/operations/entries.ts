/** Looking objects up, and preparing to write them. */
import { isSrvError } from '@srv/kernel';
import { identifierType, namespaceOf } from '@srv/lib-stores/block';
import { isFolder } from '../folders.js';
import { S3Error } from '../protocol/errors.js';
import { translating } from './failures.js';
import type { Engine, Entry, Repository, StageRequest, WriteCondition } from '@srv/engine/contract';
import type { ObjectPointer } from '@srv/lib-stores/block';
import type { ObjectContext } from './context.js';

export interface ObjectAddress {
  readonly repository: string;
  readonly ref: string;
  readonly path: string;
}

/** Only such a ref can be a branch; folders beside the refs are written to as branches are. */
const branchName = /^\w[-\w]*$/;

/** @throws S3Error `NoSuchKey`; nothing that could be a ref or a path is anything else. */
export function findEntry(engine: Engine, { repository, ref, path }: ObjectAddress): Promise<Entry> {
  return translating({ not_found: 'NoSuchKey', invalid: 'NoSuchKey' }, () => engine.getEntry(repository, ref, path));
}

export function mayBeBranch(ref: string): boolean {
  return branchName.test(ref) || isFolder(ref);
}

/**
 * Fails before a body is read.
 * @throws S3Error `NoSuchBucket` when the ref is not a branch, `PreconditionFailed`, or `NoSuchKey` when `If-Match` names
 * nothing; SrvError `protected`.
 */
export async function prepareWrite({ engine, repository, ref, path }: ObjectContext, condition?: WriteCondition): Promise<void> {
  if (!mayBeBranch(ref)) throw new S3Error('NoSuchBucket');
  try {
    await engine.checkWrite(repository.id, ref, path, condition ? { condition } : {});
  } catch (error) {
    if (isSrvError(error, 'not_found')) throw new S3Error('NoSuchBucket', { cause: error });
    if (isSrvError(error, 'precondition_failed') && condition && 'ifMatch' in condition)
      await findEntry(engine, { repository: repository.id, ref, path });
    throw error;
  }
}

export function pointerTo(repository: Repository, { address, addressType }: Pick<Entry, 'address' | 'addressType'>): ObjectPointer {
  return { namespace: namespaceOf(repository), identifier: address, identifierType: addressType };
}

/** Pointer to a fresh or tracked address below the namespace. */
export function relativePointer(repository: Repository, address: string): ObjectPointer {
  return pointerTo(repository, { address, addressType: identifierType.relative });
}

/** What is needed to stage an object of the repository's own storage. */
type OwnStageRequest = Omit<StageRequest, 'addressType'>;

/**
 * Makes stored bytes appear on the branch.
 * @throws S3Error `NoSuchBucket` when the branch is gone; SrvError `moving` when the repository has moved since the request read
 * it: the bytes are in the namespace that it has left.
 */
export function stage({ engine, repository, ref, path }: ObjectContext, request: OwnStageRequest): Promise<Entry> {
  return translating({ not_found: 'NoSuchBucket' }, () =>
    engine.stageEntry(repository, ref, path, { ...request, addressType: identifierType.relative }),
  );
}

/** As {@link stage}. When that fails the bytes are removed again, unless the entry may have been written all the same: then they must stay. */
export async function stageStored(context: ObjectContext, request: OwnStageRequest): Promise<Entry> {
  try {
    return await stage(context, request);
  } catch (error) {
    if (isUnwritten(error)) await removeUnstaged(context, request.address);
    throw error;
  }
}

/** Removes bytes that nothing refers to. A failure is only logged: it must not hide why they were not staged. */
export async function removeUnstaged({ block, repository, path, log }: ObjectContext, address: string): Promise<void> {
  await block
    .remove(relativePointer(repository, address))
    .catch((late: unknown) => log.warn({ path, error: String(late) }, 'cannot remove an object that was not staged'));
}

/** Whether the engine knows that nothing refers to what it was to stage. */
export function isUnwritten(error: unknown): boolean {
  const cause = error instanceof S3Error ? error.cause : error;
  return isSrvError(cause) && cause.details['unwritten'] === true;
}
