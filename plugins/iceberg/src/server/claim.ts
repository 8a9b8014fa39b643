/** Which requests are the catalog's, and where their names begin. */

export interface ClaimedPath {
  /** `<repository>.<ref>[.<namespace>]`, still encoded; absent: names begin with the repository. */
  readonly scope?: string;
  /** After `/v1`, still encoded. */
  readonly segments: readonly string[];
}

/** Clients of metadata search find the same catalog below `/mds`. */
const shape = /^(?:\/mds)?\/iceberg\/(?:api|relative_to\/([^/]+)\/api)\/v1(?:\/(.*))?$/;

/** @param path of the request, still encoded, without its query. @returns `undefined`: not the catalog's. */
export function claimed(path: string): ClaimedPath | undefined {
  const match = shape.exec(path);
  if (!match) return undefined;
  const [, scope, rest = ''] = match;
  const segments = rest.split('/').filter(segment => segment !== '');
  return scope === undefined ? { segments } : { scope, segments };
}
