/** Repositories: who calls, what exists, creation and deletion. */
import { randomBytes } from 'node:crypto';
import { SrvError, isSrvError } from '@srv/kernel';
import { may, repositoryArn } from '@srv/lib-api';
import { callOperation, jsonResponse } from '@srv/lib-api/http';
import { isRepoType, unnamed, urlOf } from '../address.js';
import { readJson, textMember } from '../body.js';
import { HubError, repoNotFound } from '../errors.js';
import { blobOf, isFile, lfsOf } from '../files.js';
import { aliasOf, findRepo, findRevision } from '../revision.js';
import type { HttpResponse } from '@srv/http/contract';
import type { HubRepo, Names, RepoType } from '../address.js';
import type { HubContext, RepoRoute, Route } from '../context.js';

/** Files that the description of a repository names. */
const maxSiblings = 10_000;
const pageSize = 1000;

export const whoami: Route = async ({ face, namespace }) =>
  jsonResponse(200, {
    type: 'user',
    id: face.user.username,
    // Clients take it for the namespace of repositories that are named without one.
    name: namespace,
    fullname: face.user.friendlyName ?? face.user.username,
    email: face.user.email ?? '',
    emailVerified: true,
    orgs: [],
    auth: { type: 'access_token', accessToken: { displayName: face.user.username, role: 'write' } },
  });

/** The card of a repository is text to us. */
export const validateYaml = () => jsonResponse(200, { errors: [], warnings: [] });

/** For the page, which shows how programs name a repository. @throws HubError 404 for one that they cannot name. */
export function nameOf(names: Names, repository: string): HttpResponse {
  const id = names.idOf(repository);
  if (id === undefined) throw new HubError(404, unnamed(repository.slice(0, 100)));
  return jsonResponse(200, { id });
}

export const createRepo: Route = async context => {
  const { origin, services } = context;
  const body = await readJson(context);
  const repo = repoIn(context, body);
  const block = services.get('block') as { readonly info: { readonly defaultNamespacePrefix: string } };
  const prefix = services.find('api')?.defaultNamespacePrefix ?? block.info.defaultNamespacePrefix;
  if (!prefix)
    throw new HubError(
      400,
      'this server has no blockstore.default_namespace_prefix: create the repository by the command line or the web page',
    );
  const input = {
    bare: false,
    body: {
      name: repo.repository,
      // The folder of a repository that was deleted stays: another one of the name cannot use it.
      storage_namespace: `${prefix.replace(/(?<!\/)\/$/, '')}/${repo.repository}-${randomBytes(4).toString('hex')}`,
      default_branch: 'main',
      sample_data: false,
      read_only: false,
    },
  };
  const url = urlOf(origin, repo);
  try {
    await callOperation({ ...context, describe: error => context.http.describe(error) }, 'createRepository', input);
  } catch (error) {
    if (!isSrvError(error, 'not_unique')) throw error;
    throw new HubError(409, `You already created this repo: ${repo.id}`, { body: { url, name: repo.id, id: repo.id }, cause: error });
  }
  return jsonResponse(200, { url, name: repo.id, id: repo.id });
};

export const deleteRepo: Route = async context => {
  const repo = repoIn(context, await readJson(context));
  try {
    await callOperation({ ...context, describe: error => context.http.describe(error) }, 'deleteRepository', {
      repository: repo.repository,
      force: false,
    });
  } catch (error) {
    if (isSrvError(error, 'not_found')) throw repoNotFound(repo.id, error);
    throw error;
  }
  return jsonResponse(200, {});
};

function repoIn({ names }: HubContext, body: Readonly<Record<string, unknown>>): HubRepo {
  const kind = `${textMember(body, 'type') ?? 'model'}s`;
  if (!isRepoType(kind)) throw new HubError(400, `type is ${kind.slice(0, -1)}; allowed: model, dataset, space`);
  const name = textMember(body, 'name') ?? '';
  const [namespace, own] = name.includes('/')
    ? [name.slice(0, name.indexOf('/')), name.slice(name.indexOf('/') + 1)]
    : [textMember(body, 'organization'), name];
  return names.repo(kind, namespace, own);
}

export const repoInfo: RepoRoute = async ({ engine, face, repo, rest, query }) => {
  await face.demand(may('fs:ReadRepository', repositoryArn(repo.repository)));
  const repository = await findRepo(engine, repo);
  const commit = await findRevision(engine, repository, rest[0] ?? 'main');
  const lists = await face.may(may('fs:ListObjects', repositoryArn(repo.repository)));
  const withBlobs = query.get('blobs')?.toLowerCase() === 'true';
  const siblings: object[] = [];
  let isWhole = !lists;
  for (let after = '', hasMore = lists; hasMore && siblings.length < maxSiblings; isWhole = !hasMore) {
    const page = await engine.list(repository, commit.id, { after, amount: pageSize });
    for (const item of page.results)
      if (item.kind === 'object' && isFile(item.path))
        siblings.push({
          rfilename: item.path,
          ...(withBlobs ? { size: item.entry.size, blobId: blobOf(item.entry), ...lfsOf(item.entry) } : {}),
        });
    ({ hasMore, nextOffset: after } = page);
  }
  return jsonResponse(200, {
    ...summary(repo.type, repo.id, repository.creationDate),
    sha: aliasOf(commit.id),
    lastModified: commit.creationDate.toISOString(),
    // Some clients take the list for all files; without it they ask for the tree.
    ...(isWhole ? { siblings } : {}),
  });
};

function summary(type: RepoType, id: string, created: Date): object {
  return {
    _id: id,
    id,
    ...(type === 'models' ? { modelId: id } : {}),
    author: id.slice(0, id.indexOf('/')),
    createdAt: created.toISOString(),
    private: false,
    gated: false,
    disabled: false,
    tags: [],
    downloads: 0,
    likes: 0,
  };
}

/** Every repository is a model as well as a dataset. */
export const listRepos =
  (type: RepoType): Route =>
  async ({ engine, face, names, query, origin, request }) => {
    const isVisible = await face.visibility('fs:ListRepositories');
    const asked = Number(query.get('limit') ?? pageSize);
    const amount = Number.isInteger(asked) && asked > 0 ? Math.min(asked, pageSize) : pageSize;
    const [search, author] = [query.get('search') ?? '', query.get('author')?.toLowerCase()];
    const page = await engine.listRepositories({
      after: query.get('cursor') ?? '',
      amount,
      search: search.toLowerCase(),
      visible: ({ id }) => {
        const name = names.idOf(id);
        return name !== undefined && isVisible(repositoryArn(id)) && (author === undefined || name.toLowerCase().startsWith(`${author}/`));
      },
    });
    const answer = jsonResponse(
      200,
      page.results.map(({ id, creationDate }) => summary(type, names.idOf(id) ?? id, creationDate)),
    );
    if (!page.hasMore) return answer;
    const next = new URL(request.url ?? '/', origin);
    next.searchParams.set('cursor', page.nextOffset);
    return { ...answer, headers: { ...answer.headers, Link: `<${next.href}>; rel="next"` } };
  };

/** @throws SrvError `denied`. */
export const authCheck: RepoRoute = async ({ engine, face, repo, rest }) => {
  const resource = repositoryArn(repo.repository);
  await face.demand(may('fs:ReadRepository', resource));
  const { defaultBranch } = await findRepo(engine, repo);
  if (rest[0] === 'write') await face.demand(may('fs:CreateCommit', `${resource}/branch/${defaultBranch}`));
  else if (rest.length > 0) throw new SrvError('not_found', 'there is no such route');
  return jsonResponse(200, {});
};
