/** Addresses that begin with what is typed: repositories, branches, folders and objects. */
import { ask } from '@srv/lib-page/page';

interface Listed {
  readonly results: readonly { readonly id?: string; readonly path?: string }[];
}

/** Names that are offered. */
const most = 50;

/** @param typed `srv://…`. @returns whole addresses; those of folders end with a slash. */
export async function addressesFor(typed: string, signal: AbortSignal): Promise<readonly string[]> {
  const scheme = typed.slice(0, typed.indexOf('://') + 3);
  const [repository = '', ref, ...rest] = typed.slice(scheme.length).split('/');
  const list = async (operation: string, input: Readonly<Record<string, unknown>>): Promise<Listed> =>
    (await ask(operation, { ...input, amount: most }, { signal })) as Listed;
  if (ref === undefined) {
    const { results } = await list('listRepositories', { prefix: repository });
    return results.map(({ id = '' }) => `${scheme}${id}/`);
  }
  if (rest.length === 0) {
    const { results } = await list('listBranches', { repository, prefix: ref });
    return results.map(({ id = '' }) => `${scheme}${repository}/${id}/`);
  }
  const { results } = await list('listObjects', { repository, ref, prefix: rest.join('/'), delimiter: '/', user_metadata: false });
  return results.map(({ path = '' }) => `${scheme}${repository}/${ref}/${path}`);
}
