/** What a request is about, from its host and raw path. */
import { percentDecode } from './percent.js';

export type Target =
  | { readonly kind: 'service' }
  | { readonly kind: 'bucket'; readonly repository: string }
  | { readonly kind: 'object'; readonly repository: string; readonly ref: string; readonly path: string }
  /** `<ref>/`: the top of a ref, where no object can be. */
  | { readonly kind: 'root'; readonly repository: string; readonly ref: string; readonly path: string }
  /** A ref without a path, or a path without a ref: no object can be there. */
  | { readonly kind: 'nothing'; readonly repository: string; readonly ref: string; readonly path: string };

export interface HostMatch {
  /** A configured domain, or one label below it. */
  readonly known: boolean;
  /** The label: virtual-host style. */
  readonly repository?: string;
  /** The domain that matched. */
  readonly domain?: string;
}

/** Host names without port, in lower case; IPv6 addresses keep their brackets. */
function hostName(host: string): string {
  return host.replace(/:\d*$/, '').toLowerCase();
}

/** @param domains configured names, in lower case. */
export function matchHost(host: string, domains: readonly string[]): HostMatch {
  const name = hostName(host);
  for (const domain of domains) {
    if (name === domain) return { known: true, domain };
    if (!name.endsWith(`.${domain}`)) continue;
    const repository = name.slice(0, -domain.length - 1);
    if (repository !== '' && !repository.includes('.')) return { known: true, repository, domain };
  }
  return { known: false };
}

export interface RequestUri {
  /** Still encoded, with its leading slash. */
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
}

/** Splits a request line's target and nothing more: `//`, `..` and escapes are part of object names. */
export function splitUri(url: string): RequestUri {
  const absolute = /^https?:\/\/[^/?]*/i.exec(url);
  const rest = absolute ? url.slice(absolute[0].length) : url;
  const mark = rest.indexOf('?');
  const path = mark < 0 ? rest : rest.slice(0, mark);
  return { path: path.startsWith('/') ? path : `/${path}`, query: mark < 0 ? '' : rest.slice(mark + 1) };
}

/** `undefined` when the path does not decode. */
export function parseTarget(path: string, { repository }: HostMatch): Target | undefined {
  const decoded = percentDecode(path.slice(1));
  if (decoded === undefined) return undefined;
  if (repository === undefined) {
    const [bucket, rest] = cut(decoded);
    return bucket === '' && rest === undefined ? { kind: 'service' } : inRepository(bucket, rest ?? '');
  }
  return inRepository(repository, decoded);
}

function inRepository(repository: string, key: string): Target {
  if (key === '' && repository !== '') return { kind: 'bucket', repository };
  const { ref, path } = splitKey(key);
  if (repository !== '' && ref !== '' && key === `${ref}/`) return { kind: 'root', repository, ref, path };
  return { kind: repository === '' || ref === '' || path === '' ? 'nothing' : 'object', repository, ref, path };
}

/** `<ref>/<path>` at the first slash; without one everything is the ref. */
export function splitKey(key: string): { readonly ref: string; readonly path: string } {
  const [ref, path] = cut(key);
  return { ref, path: path ?? '' };
}

function cut(text: string): [string, string | undefined] {
  const slash = text.indexOf('/');
  return slash < 0 ? [text, undefined] : [text.slice(0, slash), text.slice(slash + 1)];
}
