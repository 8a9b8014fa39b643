/** What is above branches: the root of the server, repositories, refs. */
import { repositoryArn } from '@srv/lib-api';
import { base } from './claim.js';
import { findRepository } from './context.js';
import { hrefOf } from './target.js';
import type { Page } from '@srv/engine/contract';
import type { DavContext } from './context.js';
import type { Described } from './properties/live.js';

const pageSize = 1000;

function folder(href: string, displayName: string, modified = new Date()): Described {
  return { href, displayName, isFolder: true, modified, dead: new Map() };
}

export function rootOf(kind: 'server' | 'root'): Described {
  return kind === 'server' ? folder('/', '/') : folder(`${base}/`, 'dav');
}

/** The repositories that the caller sees. */
export async function* rootMembers({ engine, face }: DavContext, kind: 'server' | 'root'): AsyncGenerator<readonly Described[]> {
  if (kind === 'server') {
    yield [rootOf('root')];
    return;
  }
  const isVisible = await face.visibility('fs:ListRepositories');
  for await (const page of pages(after =>
    engine.listRepositories({ after, amount: pageSize, visible: ({ id }) => isVisible(repositoryArn(id)) }),
  ))
    yield page.map(({ id }) => folder(`${hrefOf(id)}/`, id));
}

/** A repository, and its branches; tags where they are shown, to users who may list them. */
export async function* repositoryMembers(
  context: DavContext,
  { repository }: { readonly repository: string },
  depth: 0 | 1,
): AsyncGenerator<readonly Described[]> {
  const { engine, face, settings } = context;
  const resource = repositoryArn(repository);
  await face.demand({
    any: [
      { action: 'fs:ReadRepository', resource },
      { action: 'fs:ListBranches', resource },
    ],
  });
  if (depth === 1) await face.demand({ action: 'fs:ListBranches', resource });
  const found = await findRepository(engine, repository);
  yield [folder(`${hrefOf(repository)}/`, repository)];
  if (depth === 0) return;
  for await (const page of pages(after => engine.listBranches(found, { after, amount: pageSize })))
    yield page.map(({ id }) => folder(`${hrefOf(repository, id)}/`, id));
  if (!settings.listTags || !(await face.may({ action: 'fs:ListTags', resource }))) return;
  for await (const page of pages(after => engine.listTags(found, { after, amount: pageSize })))
    yield page.map(({ id }) => folder(`${hrefOf(repository, id)}/`, id));
}

async function* pages<T>(read: (after: string) => Promise<Page<T>>): AsyncGenerator<readonly T[]> {
  let after = '';
  for (let hasMore = true; hasMore; ) {
    const page = await read(after);
    yield page.results;
    ({ hasMore, nextOffset: after } = page);
  }
}
