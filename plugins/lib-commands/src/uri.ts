/**
 * Addresses on the command line: `srv://<repository>[/<ref>[/<path>]]`. Taken literally: nothing is decoded, and `?`,
 * `#` and `%` are ordinary characters of a path.
 */
import { UsageError } from './failures.js';

export interface SrvUri {
  readonly repository: string;
  /** Empty in `srv://repo/`; absent in `srv://repo`. */
  readonly ref?: string;
  /** Empty in `srv://repo/main/`; absent in `srv://repo/main`. */
  readonly path?: string;
}

export interface RefUri extends SrvUri {
  readonly ref: string;
}

export interface PathUri extends RefUri {
  readonly path: string;
}

/** The text of a malformed argument; the caller names the argument. */
export class UriError extends UsageError {}

const scheme = /^(?:srv|lakefs):\/\//;
const repositoryName = /^[a-z0-9][a-z0-9-]{2,62}$/;
const refName = /^[^\t\n\f\r ]+$/;
const branchName = /^[A-Za-z0-9_][-A-Za-z0-9_]*$/;

/**
 * Splits an address at its first two slashes.
 * @param base put before an argument that has no scheme, as it is: no separator is added.
 * @throws UriError without a scheme or a repository.
 */
export function parseUri(argument: string, base = ''): SrvUri {
  const text = scheme.test(argument) || base === '' ? argument : base + argument;
  const match = scheme.exec(text);
  if (!match) throw new UriError(malformed(text));
  const [host = '', ...rest] = splitAtSlash(text.slice(match[0].length), 2);
  const repository = host.replace(/:\d*$/, '');
  // A user, or something that is not a port.
  if (repository === '' || /[@:]/.test(repository)) throw new UriError(malformed(text));
  const [ref, path] = rest;
  return { repository, ...(ref === undefined ? {} : { ref }), ...(path === undefined ? {} : { path }) };
}

function malformed(text: string): string {
  const wanted = 'srv://<repository>/<ref>/<path>';
  const slip = /^(?:srv|lakefs):\/?(?!\/)(.+)/.exec(text)?.[1];
  const advice = slip === undefined ? '' : `; did you mean srv://${slip}?`;
  return `malformed srv URI ${JSON.stringify(text)}: it must look like ${wanted}${advice}`;
}

/** The address as text; the inverse of {@link parseUri}. */
export function formatUri({ repository, ref, path }: SrvUri): string {
  return `srv://${[repository, ref, path].filter(part => part !== undefined).join('/')}`;
}

/** @throws UriError when there is more than a repository. */
export function repositoryUri(argument: string, base?: string): SrvUri {
  const uri = parseUri(argument, base);
  checkRepository(uri);
  if (uri.ref) throw new UriError(`repository URI includes a ref part (ref=${uri.ref}): not a valid repo URI`);
  if (uri.path !== undefined) throw new UriError(`repository URI includes path part (path=${uri.path}): not a valid repo URI`);
  return { repository: uri.repository };
}

/** A ref, commit or tag. @throws UriError when the ref is missing or a path follows. */
export function refUri(argument: string, base?: string): RefUri {
  const uri = checkRef(parseUri(argument, base));
  if (uri.path) throw new UriError(`ref URI includes a path part (path=${uri.path}): not a valid ref URI`);
  return { repository: uri.repository, ref: uri.ref };
}

/** @throws UriError when the ref cannot be a branch. */
export function branchUri(argument: string, base?: string): RefUri {
  const uri = checkRef(parseUri(argument, base));
  if (uri.path && uri.path !== '/') throw new UriError('branch URI includes a path part: not a valid branch URI');
  if (!branchName.test(uri.ref))
    throw new UriError('contains invalid branch name: not a valid branch URI; letters, digits, underscores and dashes, not a dash first');
  return { repository: uri.repository, ref: uri.ref };
}

/** @throws UriError without a path; an empty path is one. */
export function pathUri(argument: string, base?: string): PathUri {
  const uri = checkRef(parseUri(argument, base));
  if (uri.path === undefined) throw new UriError('missing path part: not a valid path URI');
  return { ...uri, path: uri.path };
}

function checkRepository({ repository }: SrvUri): void {
  if (!repositoryName.test(repository))
    throw new UriError(
      `contains invalid repository name (repo=${repository}): not a valid repo URI; 3 to 63 lower-case letters, digits and dashes, not a dash first`,
    );
}

function checkRef(uri: SrvUri): RefUri {
  checkRepository(uri);
  if (!uri.ref) throw new UriError('missing reference part: not a valid ref URI');
  if (!refName.test(uri.ref)) throw new UriError('contains invalid reference name: not a valid ref URI; a name has no spaces');
  return { ...uri, ref: uri.ref };
}

/** At most `times` cuts; the last part keeps its slashes. */
function splitAtSlash(text: string, times: number): string[] {
  const slash = times > 0 ? text.indexOf('/') : -1;
  return slash < 0 ? [text] : [text.slice(0, slash), ...splitAtSlash(text.slice(slash + 1), times - 1)];
}
