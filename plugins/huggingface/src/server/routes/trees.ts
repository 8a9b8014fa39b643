/** Lists of files. */
import { may, repositoryArn } from '@srv/lib-api';
import { jsonResponse } from '@srv/lib-api/http';
import { inParallel } from '@srv/lib-stores/block';
import { readValues } from '../body.js';
import { entryAt } from '../entry-at.js';
import { HubError, entryNotFound } from '../errors.js';
import { describeFile, describeFolder, isFile } from '../files.js';
import { aliasOf, findRepo, findRevision } from '../revision.js';
import type { Commit, Repository } from '@srv/engine/contract';
import type { RepoContext, RepoRoute } from '../context.js';

/** Of the store: with folders in a recursive list, an answer has more. */
const pageSize = 1000;
const maxPaths = 1000;
const parallel = 16;

const flag = (text: string | null): boolean => text?.toLowerCase() === 'true';

/** The files of a folder, or all below it, a page at a time. */
export const tree: RepoRoute = async context => {
  const { engine, query, rest, request, origin } = context;
  const { repository, commit } = await placeOf(context, rest[0] ?? 'main');
  const folder = rest
    .slice(1)
    .join('/')
    .replace(/(?<!\/)\/+$/, '');
  const prefix = folder === '' ? '' : `${folder}/`;
  const recursive = flag(query.get('recursive'));
  const cursor = query.get('cursor') ?? '';
  const page = await engine.list(repository, commit.id, {
    prefix,
    after: cursor,
    amount: amountOf(query.get('limit')),
    delimiter: recursive ? undefined : '/',
  });
  if (page.results.length === 0 && prefix !== '' && cursor === '') throw entryNotFound(folder, { 'X-Repo-Commit': aliasOf(commit.id) });
  const last = flag(query.get('expand')) ? { lastCommit: describeCommit(commit) } : {};
  const folders = new Set<string>();
  const items = page.results.flatMap(item => {
    if (item.kind === 'common_prefix') return item.path.endsWith('//') ? [] : [{ ...describeFolder(item.path.slice(0, -1)), ...last }];
    // The marker of a folder is not a file, but the cursor of the next page may be it.
    const isShown = isFile(item.path);
    const above = recursive && isFile(item.path.replace(/\/$/, '')) ? newFolders(item.path, prefix, cursor, folders) : [];
    return [...above.map(path => ({ ...describeFolder(path), ...last })), ...(isShown ? [{ ...describeFile(item.entry), ...last }] : [])];
  });
  const answer = jsonResponse(200, items);
  if (!page.hasMore) return answer;
  const next = new URL(request.url ?? '/', origin);
  next.searchParams.set('cursor', page.nextOffset);
  return { ...answer, headers: { ...answer.headers, Link: `<${next.href}>; rel="next"` } };
};

/** @throws HubError 400. */
function amountOf(limit: string | null): number {
  if (limit === null) return pageSize;
  if (!/^[1-9]\d{0,8}$/.test(limit)) throw new HubError(400, `limit is ${JSON.stringify(limit)}, not a number of files from 1`);
  return Math.min(Number(limit), pageSize);
}

/** Folders of a path that no earlier item of the listing was in. */
function newFolders(path: string, prefix: string, cursor: string, seen: Set<string>): string[] {
  const found: string[] = [];
  for (let at = path.indexOf('/', prefix.length); at >= 0; at = path.indexOf('/', at + 1)) {
    const folder = path.slice(0, at);
    if (seen.has(folder) || cursor.startsWith(`${folder}/`)) continue;
    seen.add(folder);
    found.push(folder);
  }
  return found;
}

/** What exists of the paths that are asked for. */
export const pathsInfo: RepoRoute = async context => {
  const { engine, rest } = context;
  const { repository, commit } = await placeOf(context, rest[0] ?? 'main');
  const paths = await readValues(context, 'paths');
  if (paths.length > maxPaths) throw new HubError(400, `the request names ${paths.length} paths; allowed: ${maxPaths}`);
  const found: (object | undefined)[] = paths.map(() => undefined);
  await inParallel(paths.entries(), parallel, async ([number, given]) => {
    const path = given.replace(/(?<!\/)\/+$/, '');
    if (path === '') return;
    const entry = await entryAt(engine, repository, commit.id, path);
    if (entry) found[number] = describeFile(entry);
    else if ((await engine.list(repository, commit.id, { prefix: `${path}/`, amount: 1 })).results.length > 0)
      found[number] = describeFolder(path);
  });
  return jsonResponse(
    200,
    found.filter(item => item !== undefined),
  );
};

/** @throws HubError 404, SrvError `denied`. */
async function placeOf(
  { engine, face, repo }: RepoContext,
  revision: string,
): Promise<{ readonly repository: Repository; readonly commit: Commit }> {
  await face.demand(may('fs:ListObjects', repositoryArn(repo.repository)));
  const repository = await findRepo(engine, repo);
  return { repository, commit: await findRevision(engine, repository, revision) };
}

function describeCommit({ id, message, creationDate }: Commit): object {
  return { id: aliasOf(id), title: message.split('\n', 1)[0] ?? '', date: creationDate.toISOString() };
}
