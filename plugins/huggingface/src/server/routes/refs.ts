/** Branches, tags and commits. */
import { isSrvError } from '@srv/kernel';
import { branchArn, may, repositoryArn, tagArn } from '@srv/lib-api';
import { jsonResponse } from '@srv/lib-api/http';
import { readJson, textMember } from '../body.js';
import { HubError, revisionNotFound } from '../errors.js';
import { branchNameOf, proposalOf } from '../proposals.js';
import { aliasOf, findNamedRevision, findRepo, findRevision } from '../revision.js';
import type { Page } from '@srv/engine/contract';
import type { RepoRoute } from '../context.js';

const pageSize = 1000;
/** Branches or tags in one answer: clients know no pages of them. */
const maxRefs = 10_000;
const commitsPage = 50;

export const refs: RepoRoute = async ({ engine, face, repo, query }) => {
  const resource = repositoryArn(repo.repository);
  await face.demand(may('fs:ListBranches', resource));
  const repository = await findRepo(engine, repo);
  const branches = await allOf(after => engine.listBranches(repository, { after, amount: pageSize }));
  const tags = (await face.may(may('fs:ListTags', resource)))
    ? await allOf(after => engine.listTags(repository, { after, amount: pageSize }))
    : [];
  const present =
    (kind: string) =>
    ({ id, commitId }: { readonly id: string; readonly commitId: string }) => ({
      name: id,
      ref: `refs/${kind}/${id}`,
      targetCommit: aliasOf(commitId),
    });
  const proposals = branches.flatMap(({ id, commitId }) => {
    const number = proposalOf(id);
    return number === undefined ? [] : [present('pr')({ id: number, commitId })];
  });
  return jsonResponse(200, {
    branches: branches.filter(({ id }) => proposalOf(id) === undefined).map(present('heads')),
    tags: tags.map(present('tags')),
    converts: [],
    pullRequests: query.get('include_prs') === '1' ? proposals : [],
  });
};

async function allOf<T>(read: (after: string) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = [];
  for (let after = '', hasMore = true; hasMore && found.length < maxRefs; ) {
    const page = await read(after);
    found.push(...page.results);
    ({ hasMore, nextOffset: after } = page);
  }
  return found;
}

export const commits: RepoRoute = async ({ engine, face, repo, rest, query, request, origin }) => {
  const revision = rest[0] ?? 'main';
  const demand = (name: string): Promise<void> => face.demand(may('fs:ReadBranch', branchArn(repo.repository, name)));
  await demand(branchNameOf(revision));
  const repository = await findRepo(engine, repo);
  const { name, commit } = await findNamedRevision(engine, repository, revision);
  if (name !== branchNameOf(revision)) await demand(name);
  const after = query.get('cursor') ?? '';
  const page = await engine.log(repository, commit.id, { amount: commitsPage, after: after === '' ? undefined : after });
  const answer = jsonResponse(
    200,
    page.results.map(commit => {
      const [title = '', ...more] = commit.message.split('\n');
      const message = more.join('\n').trim();
      return { id: aliasOf(commit.id), title, message, authors: [{ user: commit.committer }], date: commit.creationDate.toISOString() };
    }),
  );
  if (!page.hasMore) return answer;
  const next = new URL(request.url ?? '/', origin);
  next.searchParams.set('cursor', page.nextOffset);
  return { ...answer, headers: { ...answer.headers, Link: `<${next.href}>; rel="next"` } };
};

export const branch: RepoRoute = async context => {
  const { engine, face, repo, rest, request } = context;
  const [name = ''] = rest;
  const isDeletion = request.method === 'DELETE';
  await face.demand(may(isDeletion ? 'fs:DeleteBranch' : 'fs:CreateBranch', branchArn(repo.repository, name)));
  const repository = await findRepo(engine, repo);
  const options = { user: face.user.username, signal: face.signal };
  if (isDeletion) {
    await named(name, () => engine.deleteBranch(repository, name, options));
    return jsonResponse(200, {});
  }
  if (!/^\w[-\w]*$/.test(name))
    throw new HubError(400, `${name} cannot be the name of a branch here: letters, digits, underscores and dashes only, not a dash first`);
  const start = await findRevision(engine, repository, textMember(await readJson(context), 'startingPoint') ?? 'main');
  await unique(() => engine.createBranch(repository, name, start.id, options));
  return jsonResponse(200, {});
};

export const tag: RepoRoute = async context => {
  const { engine, face, repo, rest, request } = context;
  const [first = ''] = rest;
  const isDeletion = request.method === 'DELETE';
  const name = isDeletion ? first : (textMember(await readJson(context), 'tag') ?? '');
  await face.demand(may(isDeletion ? 'fs:DeleteTag' : 'fs:CreateTag', tagArn(repo.repository, name)));
  const repository = await findRepo(engine, repo);
  const options = { user: face.user.username, signal: face.signal };
  if (isDeletion) await named(name, () => engine.deleteTag(repository, name, options));
  else {
    const commit = await findRevision(engine, repository, first);
    await unique(() => engine.createTag(repository, name, commit.id, options));
  }
  return jsonResponse(200, {});
};

async function named(name: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isSrvError(error, 'not_found')) throw revisionNotFound(name, error);
    throw error;
  }
}

async function unique(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isSrvError(error, 'not_unique')) throw new HubError(409, 'Reference already exists', { cause: error });
    throw error;
  }
}
