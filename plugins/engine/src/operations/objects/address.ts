/** Physical addresses handed to clients that write objects themselves: `data/<partition>/<id>,<signature>`. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { SrvError } from '@srv/kernel';
import { xidSeconds } from '@srv/lib-records';
import { fitsStorePattern, identifierType } from '@srv/lib-stores/block';
import type { BlockStore, StorageInfo } from '@srv/lib-stores/block';

/** Milliseconds an address may be linked after it was made. Garbage collection spares younger objects. */
export const linkValidity = 86_400_000;

/** Folder of the objects below the namespace. */
const dataFolder = 'data/';

/** What a signature binds together. */
export interface SignedTarget {
  readonly repository: string;
  readonly branch: string;
  readonly path: string;
}

/** Address and signature joined by a comma: the whole is the object's key in the store. */
export function signAddress(address: string, place: SignedTarget, key: string): string {
  return `${address},${signature(address, place, key).toString('base64url')}`;
}

/**
 * Checks a signed relative address.
 * @throws SrvError `invalid` when it is not signed, not for this place, or older than {@link linkValidity}.
 */
export function verifyAddress(signed: string, place: SignedTarget, key: string, now: Date): void {
  const comma = signed.lastIndexOf(',');
  if (comma < 0) throw new SrvError('invalid', 'address is not signed: link address invalid');
  const address = signed.slice(0, comma);
  const text = signed.slice(comma + 1);
  if (!/^[A-Za-z0-9_-]*$/.test(text)) throw new SrvError('invalid', 'malformed address signature: not base64url: link address invalid');
  const expected = signature(address, place, key);
  const given = Buffer.from(text, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new SrvError('invalid', 'invalid address signature: invalid address');
  const seconds = xidSeconds(address.slice(address.lastIndexOf('/') + 1));
  if (seconds === undefined) throw new SrvError('invalid', 'invalid address signature: the address ends in no id: invalid address');
  if (now.getTime() - seconds * 1000 > linkValidity) throw new SrvError('invalid', 'link address expired');
}

/**
 * An address as it is stored: below the data folder of the namespace it becomes relative.
 * @param roots of the namespace, as `storageRoots` returns them.
 */
export function splitAddress(roots: readonly string[], address: string): { readonly address: string; readonly relative: boolean } {
  const root = roots.find(start => address.startsWith(start + dataFolder));
  return root === undefined ? { address, relative: false } : { address: address.slice(root.length), relative: true };
}

/**
 * Passes for a place of the same block store outside the namespace, to which an object may point.
 * @throws SrvError `invalid` for another kind of store, and for what lies in the namespace beside its data, such as metadata;
 * `forbidden` for what the store may not read.
 */
export async function checkExternal(
  block: Pick<BlockStore, 'type' | 'resolve' | 'checkReadable'> & { readonly info: Pick<StorageInfo, 'namespacePattern'> },
  roots: readonly string[],
  address: string,
): Promise<void> {
  const { namespacePattern } = block.info;
  if (!fitsStorePattern(namespacePattern, address))
    throw new SrvError('invalid', `physical address is not valid for block adapter: ${block.type}; it must match ${namespacePattern}`);
  const pointer = { namespace: address, identifier: address, identifierType: identifierType.full };
  // In whichever spelling it lies in the namespace.
  const spellings = [address, block.resolve(pointer)];
  await block.checkReadable?.(pointer);
  if (roots.some(root => spellings.some(spelling => spelling.startsWith(root))))
    throw new SrvError(
      'invalid',
      `physical address ${address} lies in the storage namespace of the repository, beside its data; only objects elsewhere can be linked`,
    );
}

function signature(address: string, { repository, branch, path }: SignedTarget, key: string): Buffer {
  const message = htmlSafeJson({ Repository: repository, Branch: branch, Path: path, PhysicalAddress: address });
  return createHmac('sha256', key).update(message, 'utf8').digest();
}

/** Compact JSON as the signers of existing addresses wrote it: some characters are escaped that JSON allows. */
function htmlSafeJson(value: Readonly<Record<string, string>>): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
