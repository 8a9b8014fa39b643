/**
 * Who names a place of the block store reads what lies there, once an entry points to it. Inside the namespace of a repository
 * that takes the right to read its objects, elsewhere the right to import.
 */
import { SrvError } from '@srv/kernel';
import { may, mayBelow, namespaceArn, objectArn } from '@srv/lib-api';
import { identifierType } from '@srv/lib-stores/block';
import { verifyAddress } from './address.js';
import type { OperationContext } from '@srv/lib-api';
import type { SignedTarget } from './address.js';

type Asking = Pick<OperationContext, 'services' | 'decide'>;

/**
 * For an object in the data of the repository itself. Passes for an address that this server signed for the place, for the
 * one that the place has already, and for callers who may read every object of the repository.
 * @param address relative to the storage namespace.
 * @throws SrvError `denied`.
 */
export async function demandOwnSource(context: Asking, place: SignedTarget, address: string): Promise<void> {
  if (isSignedFor(context, place, address) || (await isStagedAt(context, place, address))) return;
  await demandReadable(context, [place.repository], address);
}

/** For an object elsewhere. @param address in full. @throws SrvError `denied`. */
export async function demandForeignSource(context: Asking, address: string): Promise<void> {
  const owners = await context.services.get('engine').repositoriesAt(address);
  if (owners.length > 0) return demandReadable(context, owners, address);
  const { allowed, reason } = await context.decide(may('fs:ImportFromStorage', namespaceArn(address)));
  if (!allowed)
    throw new SrvError('denied', `${reason ?? 'insufficient permissions: not allowed to fs:ImportFromStorage'} (needed for ${address})`);
}

/**
 * For objects and prefixes that are imported, in addition to the right to import them: the caller must be allowed to read every
 * object of any repository stored there.
 * @throws SrvError `denied`.
 */
export async function demandImportSources(context: Asking, addresses: readonly string[]): Promise<void> {
  for (const [owner, address] of await context.services.get('engine').repositoriesTouching(addresses))
    await demandReadable(context, [owner], address);
}

/** @param repositories of which one must be readable. */
async function demandReadable({ decide }: Asking, repositories: readonly string[], address: string): Promise<void> {
  for (const repository of repositories) if ((await decide(mayBelow('fs:ReadObject', objectArn(repository, '')))).allowed) return;
  throw new SrvError(
    'denied',
    `insufficient permissions: ${address} lies in or above the storage namespace of repository ${repositories.join(', ')}, of which not every ` +
      'object may be read by this user; copy the object by its path instead',
  );
}

/** @throws SrvError `invalid` for an address that was given before the repository moved to another storage namespace. */
export function refuseLeftBehind(context: Asking, place: SignedTarget, address: string): void {
  const at = address.lastIndexOf('/data/');
  if (at >= 0 && isSignedFor(context, place, address.slice(at + 1)))
    throw new SrvError(
      'invalid',
      `${address} was given out before the repository moved to another storage namespace; upload the object again`,
    );
}

function isSignedFor({ services }: Asking, place: SignedTarget, address: string): boolean {
  try {
    verifyAddress(address, place, services.get('api').signingKey, new Date());
    return true;
  } catch {
    return false;
  }
}

async function isStagedAt({ services, decide }: Asking, { repository, branch, path }: SignedTarget, address: string): Promise<boolean> {
  if (!(await decide(may('fs:ReadObject', objectArn(repository, path)))).allowed) return false;
  const entry = await services
    .get('engine')
    .getEntry(repository, branch, path)
    .catch(() => undefined);
  return entry?.addressType === identifierType.relative && entry.address === address;
}
