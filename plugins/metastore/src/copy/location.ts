/** Where copied tables find their data. */

/** Maps the path of a location, the part after `scheme://host`. */
export type LocationRule =
  /** The same repository on another branch: the first part of the path is replaced. */
  | { readonly kind: 'branch'; readonly branch: string }
  /** Data that were imported: the bucket becomes the repository, and the path goes below the branch. */
  | { readonly kind: 'import'; readonly repository: string; readonly branch: string }
  /** Lists of objects that the server wrote below `root`. */
  | { readonly kind: 'symlink'; readonly root: string };

/** @returns the new location; an empty one stays empty. @throws Error for one that is not `scheme://host/path`. */
export function relocate(location: string, rule: LocationRule, dbfsRoot = ''): string {
  if (location === '') return '';
  const resolved = dbfsRoot !== '' && location.startsWith('dbfs:/') ? dbfsRoot + location.slice('dbfs:/'.length) : location;
  // A plain split: URLs would be changed by a parser, and paths of tables hold odd characters.
  const [, scheme, host, path = ''] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/]+)(?:\/(.*))?$/s.exec(resolved) ?? [];
  if (scheme === undefined || host === undefined)
    throw new Error(`got empty schema or host while parsing location url, location should be schema://host/path: ${location}`);
  if (rule.kind === 'import') return join(`${scheme}://${rule.repository}`, rule.branch, path);
  if (rule.kind === 'symlink') return join(rule.root.replace(/(?<!\/)\/+$/, ''), host, path);
  const rest = path.includes('/') ? path.slice(path.indexOf('/') + 1) : '';
  return join(`${scheme}://${host}`, rule.branch, rest);
}

function join(first: string, ...rest: readonly string[]): string {
  const parts = rest.map(part => part.replace(/^\/+/, '')).filter(part => part !== '');
  return [first, ...parts].join('/');
}
