/** Searches repositories, views, branches, tags and objects by a few letters. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Icon, call, objectOf, objectsOf, ownPages, recentRefs, shownName, tabs, to, usePlace } from '@srv/lib-page/page';
import { rank } from '../../src/model/rank.js';
import type { IconName } from '@srv/lib-page/page';

interface Target {
  readonly text: string;
  readonly kind: string;
  readonly icon: IconName;
  readonly href: string;
}

const mostShown = 30;

export function PaletteDialog({ onClose: close }: { readonly onClose: () => void }) {
  const place = usePlace();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const repository = place.segments[0] === 'repositories' ? place.segments[1] : undefined;
  const ref = place.query['ref'];
  const found = useTargets(repository, ref, text);
  const ranked = useMemo(() => rank(found, text, ({ text: name }) => name).slice(0, mostShown), [found, text]);
  const chosen = Math.min(at, Math.max(0, ranked.length - 1));
  useEffect(() => {
    dialog.current?.showModal();
    const element = dialog.current;
    return () => element?.close();
  }, []);
  const open = (target: Target | undefined): void => {
    if (!target) return;
    close();
    place.go(target.href);
  };
  const pressed = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((chosen + step + ranked.length) % Math.max(1, ranked.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      open(ranked[chosen]);
    }
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search or jump to"
      onCancel={event => {
        event.preventDefault();
        close();
      }}
      onClick={event => {
        if (event.target === dialog.current) close();
      }}
    >
      <input
        class="input"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-label="Search or jump to"
        aria-activedescendant={ranked.length > 0 ? `palette-${chosen}` : undefined}
        placeholder={repository === undefined ? 'Repository or page' : 'Branch, tag, path, commit id, view or repository'}
        autoFocus
        value={text}
        onInput={event => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={pressed}
      />
      <div role="listbox" id="palette-list" aria-label="Results">
        {ranked.map((target, i) => (
          <div
            key={`${target.kind} ${target.href}`}
            id={`palette-${i}`}
            role="option"
            aria-selected={i === chosen}
            onMouseMove={() => setAt(i)}
            onClick={() => open(target)}
          >
            <Icon name={target.icon} />
            <bdi class="grow one-line">{shownName(target.text)}</bdi>
            <span class="muted small">{target.kind}</span>
          </div>
        ))}
      </div>
      {ranked.length === 0 && (
        <p class="menu-note muted" role="status">
          Nothing found
        </p>
      )}
    </dialog>
  );
}

/** Milliseconds without typing before the server is asked. */
const pause = 150;

function useTargets(repository: string | undefined, ref: string | undefined, text: string): readonly Target[] {
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
  const paths =
    text === ''
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
  const lists = await Promise.all([branches.catch(none), tags.catch(none), Promise.resolve(paths).catch(none), repositories.catch(none)]);
  return [...commit, ...lists.flat()];
}
