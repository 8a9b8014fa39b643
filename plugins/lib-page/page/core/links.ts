/** Addresses in the page, relative to its root. Paths and refs of objects are always in the query. */
import { decodedUri } from '../../src/model/decoded-uri.js';
import { root } from './boot.js';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** @example to('repositories', 'lakes', 'objects', { ref: 'main' }) */
export function to(...parts: readonly (string | Query)[]): string {
  const path = parts
    .filter(part => typeof part === 'string')
    .map(encodeURIComponent)
    .join('/');
  const query = new URLSearchParams();
  for (const part of parts)
    if (typeof part === 'object')
      for (const [name, value] of Object.entries(part))
        if (value !== undefined && value !== '' && value !== false) query.set(name, String(value));
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** What the router takes. */
export function absolute(href: string): string {
  return root + href;
}

/** Segments of the page's path below its root, decoded. */
export function segmentsOf(pathname: string): readonly string[] {
  const below = pathname.startsWith(root) ? pathname.slice(root.length) : pathname;
  return below
    .split('/')
    .filter(part => part !== '')
    .map(decodedUri);
}

export const objectsOf = (repository: string, ref?: string, path?: string): string =>
  to('repositories', repository, 'objects', { ref, path });
export const objectOf = (repository: string, ref: string, path: string): string => to('repositories', repository, 'object', { ref, path });
export const commitOf = (repository: string, id: string): string => to('repositories', repository, 'commits', id);
