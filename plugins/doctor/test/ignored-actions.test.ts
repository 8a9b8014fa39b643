/** The search for action files that are not run: on every branch, within limits, and never silent about what it did not see. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fakeContext, page, refusal } from '@srv/lib-commands/testing';
import { ignoredActions } from '../src/cli/ignored-actions.js';

interface ListCall {
  readonly repository: string;
  readonly ref: string;
  readonly prefix: string;
  readonly after?: string;
}

/** Repositories with the names of their branches, the default branch first; one with a `!` has an action file. */
type Installation = Readonly<Record<string, readonly string[]>>;

const nameOf = (branch: string): string => branch.replace('!', '');

function server(installation: Installation, listObjects?: (asked: ListCall) => unknown) {
  const repositories = Object.entries(installation).map(([id, [first = 'main']]) => ({ id, default_branch: nameOf(first) }));
  const answers = {
    getConfig: { capabilities_config: { actions: false } },
    listRepositories: page(repositories),
    listBranches: ({ repository }: ListCall) => page((installation[repository] ?? []).map(nameOf).map(id => ({ id }))),
    listObjects: (asked: ListCall) => {
      const hasFile = asked.prefix === '_lakefs_actions/' && installation[asked.repository]?.includes(`${asked.ref}!`) === true;
      return listObjects?.(asked) ?? page(hasFile ? [{ path: '_lakefs_actions/check.yaml' }] : []);
    },
  };
  return fakeContext(answers);
}

async function search(
  { context, calls }: ReturnType<typeof server>,
  limits?: { readonly requests: number; readonly time: number },
): Promise<{ readonly sentences: readonly string[]; readonly seen: readonly string[]; readonly requests: number }> {
  const sentences = await ignoredActions(await context.client(), limits);
  const refs = calls.filter(([name]) => name === 'listObjects').map(([, input]) => input as ListCall);
  const seen = new Set(refs.map(({ repository, ref }) => `${repository}/${ref}`));
  return { sentences, seen: [...seen], requests: calls.length - 1 };
}

const sentenceFor = (repository: string, branch: string): string =>
  `Repository ${repository} has action files (_lakefs_actions/check.yaml on ${branch}), and this server runs none: operations they would stop succeed.`;

test('every branch is looked at, and each repository is reported once', async () => {
  const { sentences, seen } = await search(server({ plain: ['main', 'dev'], both: ['main!', 'dev!'], late: ['trunk', 'a', 'b', 'dev!'] }));
  assert.deepEqual(sentences, [sentenceFor('both', 'main'), sentenceFor('late', 'dev')]);
  assert.deepEqual(
    seen.filter(ref => ref.startsWith('both/')),
    ['both/main'],
  );
  assert.deepEqual(seen.filter(ref => ref.startsWith('plain/')).toSorted(), ['plain/dev', 'plain/main']);
});

test('more than 200 repositories are looked at', async () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`r${i}`, i === 249 ? ['main!'] : ['main']]));
  assert.deepEqual((await search(server(many))).sentences, [sentenceFor('r249', 'main')]);
});

test('the limit of requests is kept and reported, and a repository with many branches does not use up the share of others', async () => {
  const branches = Array.from({ length: 500 }, (_, i) => `branch-${i}`);
  const { sentences, requests } = await search(server({ busy: ['main', ...branches], quiet: ['main', 'a', 'b', 'dev!'] }), {
    requests: 40,
    time: 60_000,
  });
  assert.equal(requests, 40);
  assert.equal(sentences.length, 2);
  assert.equal(sentences[0], sentenceFor('quiet', 'dev'));
  assert.match(
    sentences[1] ?? '',
    /^The search for action files is not complete: it reached its limit of 40 requests after \d+ branches\. Look at others with "cli fs ls /,
  );
});

test('the limit of time is kept and reported, whatever the server does', async () => {
  const { sentences } = await search(
    server({ slow: ['main', 'dev!'] }, async () => sleep(20, page([]))),
    { requests: 1000, time: 5 },
  );
  assert.equal(sentences.length, 1);
  assert.match(sentences[0] ?? '', /is not complete: it reached its limit of 5ms after \d branch/);
});

test('repositories that the user may not list are named', async () => {
  const refuse = ({ repository }: ListCall): unknown => (repository.startsWith('closed') ? Promise.reject(refusal(401, 'no')) : undefined);
  const closed = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`closed-${i}`, ['main']]));
  assert.deepEqual((await search(server({ ...closed, open: ['main!'] }, refuse))).sentences, [
    sentenceFor('open', 'main'),
    'Action files were not looked for in closed-0, closed-1, closed-2 and 2 more: this user may not list branches or objects there. Run "cli doctor" as an administrator.',
  ]);
});

test('bare repositories and those that are deleted meanwhile have none; other failures name the repository', async () => {
  const answering = (status: number) => server({ lakes: ['main'] }, () => Promise.reject(refusal(status, 'no')));
  for (const status of [400, 404]) assert.deepEqual((await search(answering(status))).sentences, []);
  await assert.rejects(search(answering(500)), { message: 'cannot look for action files in lakes: no' });
});
