/** What a URL names. */
import { base } from './claim.js';
import { DavError } from './errors.js';

export type Target =
  /** The root of the server, of which only its existence is shown. */
  | { readonly kind: 'server' }
  /** Lists repositories. */
  | { readonly kind: 'root' }
  /** Lists branches. */
  | { readonly kind: 'repository'; readonly repository: string }
  | ResourceTarget;

/** A folder or an object of a ref. */
export interface ResourceTarget {
  readonly kind: 'resource';
  readonly repository: string;
  readonly ref: string;
  /** Without slash at its end; empty: the top of the ref. */
  readonly path: string;
  /** The URL ends with a slash: it can only mean a folder. */
  readonly isFolder: boolean;
}

/** @param url as in the request line. @throws DavError 400 for what names nothing, 404 for what no file system can name. */
export function parseTarget(url: string): Target {
  if (url.includes('#')) throw new DavError(400, 'the URL has a fragment; percent-encode # as %23 in names');
  const path = url.split('?', 1)[0] ?? '';
  if (path === '/') return { kind: 'server' };
  if (path !== base && !path.startsWith(`${base}/`)) throw new DavError(404, `${path} is not below ${base}/`);
  const [repository = '', ref, ...names] = path
    .slice(base.length + 1)
    .split('/')
    .map(decodeSegment);
  if (repository === '') {
    if (ref !== undefined) throw emptySegment();
    return { kind: 'root' };
  }
  if (ref === undefined || (ref === '' && names.length === 0)) return { kind: 'repository', repository };
  const isFolder = names.length === 0 || names.at(-1) === '';
  if (names.at(-1) === '') names.pop();
  if (ref === '' || names.includes('')) throw emptySegment();
  return { kind: 'resource', repository, ref, path: names.join('/'), isFolder };
}

function emptySegment(): DavError {
  return new DavError(404, 'the path has an empty segment: objects with such names cannot be reached here; use the HTTP API or S3');
}

/** Decodes once. */
function decodeSegment(segment: string): string {
  let name: string;
  try {
    name = decodeURIComponent(segment);
  } catch {
    throw new DavError(400, `${segment} is not percent-encoded UTF-8`);
  }
  if (name === '.' || name === '..') throw new DavError(400, `the path has the segment ${name}; send the path that it leads to`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to refuse
  if (/[/\u0000-\u001f\u007f]/.test(name)) throw new DavError(400, `${segment} has a slash or a control character in a name`);
  return name;
}

/** The URL path of something below the base. @param path of segments that are not encoded. */
export function hrefOf(...parts: readonly string[]): string {
  return [base, ...parts.flatMap(part => part.split('/')).map(encodeSegment)].join('/');
}

/** Everything but unreserved characters (RFC 3986, section 2.3). */
function encodeSegment(name: string): string {
  return encodeURIComponent(name).replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The folder that holds a path; empty: the top of the ref. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/**
 * The target of the header `Destination`, an absolute URL or a path. Only the path counts where the host is this one: a
 * proxy may have changed scheme and port.
 * @throws DavError 400 without it, and for one with a query or a fragment: in the name of a file these have to be escaped; 502 for
 * another host.
 */
export function parseDestination(header: string | undefined, hosts: readonly (string | undefined)[]): Target {
  if (header === undefined || header === '') throw new DavError(400, 'COPY and MOVE need the header Destination');
  if (/[?#]/.test(header)) throw new DavError(400, `the destination ${header} has a ? or a #: in a name write %3F and %23`);
  const scheme = header.indexOf('://');
  if (scheme > 0 && /^[a-z0-9+.-]+$/i.test(header.slice(0, scheme))) {
    const rest = header.slice(scheme + 3);
    const end = rest.indexOf('/');
    const authority = end < 0 ? rest : rest.slice(0, end);
    if (!hosts.some(host => host !== undefined && hostName(host) === hostName(authority)))
      throw new DavError(502, `the destination is on another server: ${authority}`);
    return parseTarget(end < 0 ? '/' : rest.slice(end).trim());
  }
  if (!header.startsWith('/')) throw new DavError(400, `the destination ${header} is neither a URL nor a path that begins with a slash`);
  return parseTarget(header.trim());
}

/** Without user and port. */
function hostName(authority: string): string {
  const host = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase();
  return host.replace(/:\d*$/, '');
}
