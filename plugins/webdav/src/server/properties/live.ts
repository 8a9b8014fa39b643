/** Properties that the server sets. */
import { escapeXml, quoteEtag } from '@srv/lib-api/http';
import { covers, lockDiscovery, supportedLock } from '../locks/lock.js';
import { hrefOf, nameOf } from '../target.js';
import { dav, davNamespace } from '../xml/write.js';
import { keyOf, readProperties } from './dead.js';
import type { Lock } from '../locks/lock.js';
import type { Resource } from '../tree.js';
import type { DeadProperties } from './dead.js';

/** What an answer describes. */
export interface Described {
  /** URL path; folders end with a slash. */
  readonly href: string;
  readonly displayName: string;
  readonly isFolder: boolean;
  readonly modified: Date;
  /** Absent: a folder. */
  readonly file?: { readonly size: number; readonly etag: string; readonly contentType: string };
  readonly dead: DeadProperties;
  /** Absent: the resource cannot be locked. */
  readonly locks?: string;
}

/** Bytes that are reported as free: none is known, and clients that read 0 store nothing. */
const available = 2 ** 40;

/** Content of each property, as XML; `undefined`: the resource does not have it. */
const properties: Readonly<Record<string, (resource: Described) => string | undefined>> = {
  resourcetype: ({ isFolder }) => (isFolder ? dav('collection') : ''),
  displayname: ({ displayName }) => escapeXml(displayName),
  getlastmodified: ({ modified }) => modified.toUTCString(),
  creationdate: ({ modified }) => modified.toISOString().replace(/\.\d+/, ''),
  getcontentlength: ({ file }) => file && String(file.size),
  getetag: ({ file }) => file && escapeXml(quoteEtag(file.etag)),
  getcontenttype: ({ file }) => file && escapeXml(file.contentType),
  supportedlock: ({ locks }) => (locks === undefined ? '' : supportedLock),
  lockdiscovery: ({ locks }) => locks ?? '',
};

/** Only sent when asked for by name. */
const onRequest: typeof properties = {
  'quota-available-bytes': ({ isFolder }) => (isFolder ? String(available) : undefined),
  'quota-used-bytes': ({ isFolder }) => (isFolder ? '0' : undefined),
};

export const liveNames = Object.keys(properties);

/** Keys of properties that clients cannot set. */
export const protectedKeys: ReadonlySet<string> = new Set(
  [...liveNames, ...Object.keys(onRequest)].map(name => keyOf({ namespace: davNamespace, name })),
);

export function liveProperty(name: string, resource: Described): string | undefined {
  const property = properties[name] ?? onRequest[name];
  return Object.hasOwn(properties, name) || Object.hasOwn(onRequest, name) ? property?.(resource) : undefined;
}

interface Place {
  readonly repository: string;
  readonly ref: string;
  readonly locks: readonly Lock[];
  /** Of folders: they have no time of their own, and clients read a folder again when it is newer. */
  readonly now: Date;
  readonly isBranch: boolean;
}

/** A folder or file of a ref as an answer describes it. */
export function describe(resource: Resource, { repository, ref, locks, now, isBranch }: Place): Described {
  const { path } = resource;
  const own = path === '' ? hrefOf(repository, ref) : hrefOf(repository, ref, path);
  const covering = locks.filter(lock => covers(lock, path));
  const shared = {
    displayName: path === '' ? ref : nameOf(path),
    ...(isBranch ? { locks: lockDiscovery(repository, ref, covering) } : {}),
  };
  if (resource.kind === 'folder')
    return { href: `${own}/`, isFolder: true, modified: now, dead: readProperties(resource.marker?.metadata ?? {}), ...shared };
  const { size, etag, contentType, lastModified, metadata } = resource;
  return {
    href: own,
    isFolder: false,
    modified: lastModified,
    file: { size, etag, contentType },
    dead: readProperties(metadata),
    ...shared,
  };
}
