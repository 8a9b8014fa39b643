/** What the palette finds: pages and views at once, names and paths from the server. */

import { call, commitOf, finders, objectOf, objectsOf, ownPages, recentRefs, shortRef, tabs, to } from '@srv/lib-page/page';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { hasText } from '../../src/model/commit-text.js';
import { findPaths } from '../../src/model/find-paths.js';
import { isPattern, parsePathPattern } from '../../src/model/path-pattern.js';
import type { Target } from '@srv/lib-page/page';

/** Commits whose messages, authors and metadata are looked through, and characters before they are. */
const [mostCommits, fewest] = [500, 2];

/** Paths that are looked at for a pattern; the view of objects looks at all. */
const mostPaths = 5000;

/** Milliseconds without typing before the server is asked. */
const pause = 150;

export function useTargets(repository: string | undefined, ref: string | undefined, text: string): readonly Target[] {
  const [found, setFound] = useState<readonly Target[]>([]);
  useEffect(() => {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      void remoteTargets(repository, ref, text, controller.signal).then(targets => {
        if (!controller.signal.aborted) setFound(targets);
      });
    }, pause);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [repository, ref, text]);
  return useMemo(() => [...localTargets(repository, ref), ...found], [repository, ref, found]);
}

function localTargets(repository: string | undefined, ref: string | undefined): readonly Target[] {
  const pages: Target[] = [
    { text: 'Repositories', kind: 'page', icon: 'database', href: to('repositories') },
    ...ownPages.value
      .filter(({ entry }) => !entry)
      .map(({ id, title }): Target => ({ text: title, kind: 'page', icon: 'settings', href: to(id) })),
  ];
  if (repository === undefined) return pages;
  return [
    ...tabs.value
      .filter(({ title }) => title !== '')
      .map(
        ({ id, title, icon = 'file' }): Target => ({
          text: title,
          kind: `view of ${repository}`,
          icon,
          href: to('repositories', repository, id, { ref }),
        }),
      ),
    ...recentRefs(repository).map((id): Target => ({ text: id, kind: 'recent', icon: 'branch', href: objectsOf(repository, id) })),
    ...pages,
  ];
}

/** Each source answers or does not; the palette shows what there is. */
async function remoteTargets(
  repository: string | undefined,
  ref: string | undefined,
  text: string,
  signal: AbortSignal,
): Promise<readonly Target[]> {
  const none = (): readonly Target[] => [];
  const options = { signal };
  const repositories = call('listRepositories', { amount: 20, ...(text === '' ? {} : { search: text }) }, options).then(({ results }) =>
    results.map(({ id }): Target => ({ text: id, kind: 'repository', icon: 'database', href: objectsOf(id) })),
  );
  if (repository === undefined) return repositories.catch(none);
  const branches = call('listBranches', { repository, amount: 200, ...(text === '' ? {} : { prefix: text }) }, options).then(
    ({ results }) => results.map(({ id }): Target => ({ text: id, kind: 'branch', icon: 'branch', href: objectsOf(repository, id) })),
  );
  const tags = call('listTags', { repository, amount: 200, ...(text === '' ? {} : { prefix: text }) }, options).then(({ results }) =>
    results.map(({ id }): Target => ({ text: id, kind: 'tag', icon: 'tag', href: objectsOf(repository, id) })),
  );
  const at =
    ref ??
    (await call('getRepository', { repository }, options).then(
      ({ default_branch: main }) => main,
      () => 'main',
    ));
  const paths = isPattern(text)
    ? pathsLike(repository, at, text, signal)
    : text === ''
      ? []
      : call('listObjects', { repository, ref: at, prefix: text, delimiter: '/', amount: 20, user_metadata: false }, options).then(
          ({ results }) =>
            results.map(
              ({ path, path_type: kind }): Target =>
                kind === 'object'
                  ? { text: path, kind: `object at ${at}`, icon: 'file', href: objectOf(repository, at, path) }
                  : { text: path, kind: `folder at ${at}`, icon: 'folder', href: objectsOf(repository, at, path) },
            ),
        );
  const commit: readonly Target[] = /^[0-9a-f]{6,64}$|[~^@]/.test(text)
    ? [{ text, kind: 'ref', icon: 'commit', href: objectsOf(repository, text) }]
    : [];
  const commits = text.length < fewest ? [] : commitsWith(repository, at, text, signal);
  const found = finders.value.map(({ find }) => find({ repository, ref: at, text }, signal));
  const sources = [branches, tags, paths, ...found, commits, repositories];
  const lists = await Promise.all(sources.map(source => Promise.resolve(source).catch(none)));
  // Several sources may know the same object.
  return [...new Map([...commit, ...lists.flat()].map(target => [target.href, target])).values()];
}

/** The search for a pattern in the view of objects, and the first objects that it finds. */
async function pathsLike(repository: string, ref: string, text: string, signal: AbortSignal): Promise<readonly Target[]> {
  const found: Target[] = [
    {
      text: `All objects like ${text}`,
      also: text,
      kind: `search at ${ref}`,
      icon: 'search',
      href: to('repositories', repository, 'objects', { ref, filter: text }),
    },
  ];
  await findPaths({
    pattern: parsePathPattern(text),
    folder: '',
    most: mostPaths,
    load: (prefix, after) => call('listObjects', { repository, ref, prefix, after, amount: 1000, user_metadata: false }, { signal }),
    onProgress: objects =>
      found.push(
        ...objects.map(
          ({ path }): Target => ({ text: path, also: text, kind: `object at ${ref}`, icon: 'file', href: objectOf(repository, ref, path) }),
        ),
      ),
    signal,
  });
  return found;
}

async function commitsWith(repository: string, ref: string, text: string, signal: AbortSignal): Promise<readonly Target[]> {
  const { results } = await call('logCommits', { repository, ref, amount: mostCommits }, { signal });
  return results
    .filter(commit => hasText(commit, text))
    .map(
      ({ id, message, committer }): Target => ({
        text: message.split('\n', 1)[0] ?? '',
        also: `${message} ${committer} ${id} ${text}`,
        kind: `commit ${shortRef(id)} by ${committer}`,
        icon: 'commit',
        href: commitOf(repository, id),
      }),
    );
}
