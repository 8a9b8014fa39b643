/** Addresses of the shell and of the page. */

type Query = Readonly<Record<string, string | undefined>>;

/** @returns the address that a view shows; `undefined` where it is not one of a repository. */
export function uriOfRoute([first, repository, tab]: readonly string[], query: Query): string | undefined {
  if (first !== 'repositories' || repository === undefined) return undefined;
  const { ref, path = '' } = query;
  if (ref === undefined) return `srv://${repository}`;
  const folder = tab === 'objects' || tab === 'object' ? path.slice(0, path.lastIndexOf('/') + 1) : '';
  return folder === '' ? `srv://${repository}/${ref}` : `srv://${repository}/${ref}/${folder}`;
}

/** As the shell writes where it is. */
export const formatPlace = (uri: string): string => uri.slice('srv://'.length);

/** @returns the view of an address, relative to the page's root. */
export function hrefOfUri(uri: string): string {
  const [repository = '', ref, ...rest] = formatPlace(uri).split('/');
  const path = rest.join('/');
  const isObject = path !== '' && !path.endsWith('/');
  const query = new URLSearchParams({ ...(ref ? { ref } : {}), ...(path === '' ? {} : { path }) }).toString();
  return `repositories/${encodeURIComponent(repository)}/${isObject ? 'object' : 'objects'}${query === '' ? '' : `?${query}`}`;
}
