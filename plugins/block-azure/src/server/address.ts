/**
 * Addresses of blobs: `https://<account>.<domain>/<container>/<blob>`. Split as text: a URL parser would fold `..` and take
 * `?` and `#` for more than characters. Blob names in full URIs and namespaces are percent-encoded, as listings of this
 * store have always given them; relative keys are taken as they are.
 */
import { SrvError } from '@srv/kernel';
import { locate, splitScheme } from '@srv/lib-stores/block';
import type { BlockPlace, ObjectPointer } from '@srv/lib-stores/block';

export interface BlobAddress {
  readonly account: string;
  readonly container: string;
  /** Decoded; a prefix when the address is walked. */
  readonly blob: string;
}

/** A blob and its URI, as listings spell it. */
export interface BlobPlace extends BlockPlace, BlobAddress {}

const schemes = ['https', 'http'];

/** The URI of an object as listings spell it, so that addresses can be compared. @throws SrvError `invalid` as {@link findBlob}. */
export function blobUri(pointer: ObjectPointer, domain: string): string {
  return formatUri(findBlob(pointer, domain), domain);
}

/** @throws SrvError `invalid` for an address of another scheme or domain, or without container or name. */
export function findBlob(pointer: ObjectPointer, domain: string): BlobAddress {
  const { namespace, key, relative } = split(pointer);
  const { account, container, blob: prefix } = parseUri(`https://${namespace}`, domain);
  if (key === '') throw new SrvError('invalid', `${pointer.namespace}: missing object key`);
  const name = relative ? key : decodeName(key);
  const blob = prefix === '' ? name : `${prefix}/${name}`;
  checkName(blob);
  return { account, container, blob };
}

/** What a URI names; the blob may be empty. @throws SrvError `invalid` for another scheme or domain, or no container. */
export function parseUri(uri: string, domain: string): BlobAddress {
  const parts = splitScheme(uri);
  if (!parts || !schemes.includes(parts.scheme)) throw new SrvError('invalid', `${uri}: invalid address; it must start with https://`);
  const [host = '', container = '', ...blob] = parts.rest.split('/');
  const dot = host.indexOf('.');
  const [account, found] = dot < 0 ? [host, ''] : [host.slice(0, dot), host.slice(dot + 1)];
  if (!/^[a-z0-9_-]+$/.test(account) || found !== domain)
    throw new SrvError('invalid', `${uri}: invalid address: domain mismatch! expected <account>.${domain}, got ${host}`);
  if (container === '') throw new SrvError('invalid', `${uri}: invalid address: missing container`);
  return { account, container: decodeName(container), blob: decodeName(blob.join('/')) };
}

/** The one spelling of a blob's URI: `https`, and only what must be is percent-encoded. */
export function formatUri({ account, container, blob }: BlobAddress, domain: string): string {
  return `https://${account}.${domain}/${encodeName(container)}/${encodeName(blob)}`;
}

/** Host, container and the namespace's prefix as `namespace`; of a full URI the container belongs to the namespace, too. */
function split(pointer: ObjectPointer): { namespace: string; key: string; relative: boolean } {
  const { namespace, key } = locate(pointer, schemes);
  if (namespace.includes('/')) return { namespace, key, relative: true };
  // Either a full URI, whose namespace is the host alone, or a namespace without a container, which is refused.
  const slash = key.indexOf('/');
  if (key === pointer.identifier || slash < 0) return { namespace, key, relative: true };
  return { namespace: `${namespace}/${key.slice(0, slash)}`, key: key.slice(slash + 1), relative: false };
}

/** Percent-encodes what a path may not hold as it is. The comma of signed addresses stays. */
function encodeName(name: string): string {
  return name.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/]/gu, encodeURIComponent);
}

/** Undoes {@link encodeName}; a `%` that does not begin an escape is kept, and bytes that are not UTF-8 stay encoded. */
function decodeName(text: string): string {
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, run => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}

/** @throws SrvError `invalid` for names that HTTP clients rewrite on their way, or that cannot be sent at all. */
function checkName(blob: string): void {
  if (blob.split('/').some(segment => segment === '.' || segment === '..'))
    throw new SrvError('invalid', `${blob}: a blob name cannot have a segment . or ..`);
  if (/\p{Surrogate}/u.test(blob)) throw new SrvError('invalid', `${blob}: a blob name must be valid Unicode`);
}
