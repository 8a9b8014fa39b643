/** The frame around every view: who is in, where one is, what went wrong. */

import {
  Boundary,
  CenteredCard,
  Empty,
  Failed,
  Loading,
  entryNeeded,
  ownPages,
  refreshSession,
  session,
  to,
  usePlace,
} from '@srv/lib-page/page';
import { useEffect } from 'preact/hooks';
import { changes } from '../core/changes.js';
import { partsLoaded } from '../core/page-parts.js';
import { Bar } from './bar.js';
import { Dock } from './dock.js';
import { Keys, useKeys } from './keys.js';
import { Notices } from './notices.js';
import { Palette } from './palette.js';
import { Repositories } from './repositories/repositories.js';
import { Repository } from './repository.js';
import type { Entry } from '@srv/lib-page';
import type { CurrentRoute } from '@srv/lib-page/page';
import type { ComponentChildren } from 'preact';

export function Frame() {
  const place = usePlace();
  useKeys(place);
  useRedirects(place);
  const { value } = session;
  if (value.state === 'unknown') return <main aria-busy="true" />;
  if (value.state === 'unreachable')
    return (
      <main>
        <Failed error={value.error} retry={() => void refreshSession()} />
      </main>
    );
  const page = pageAt(place.segments);
  if (page?.entry)
    return (
      <Boundary of={place.url} frame={Broken}>
        {page.render(restOf(page, place.segments))}
      </Boundary>
    );
  if (value.state === 'out') return entryPage('out') || !partsLoaded.value ? <main aria-busy="true" /> : <NoEntry />;
  return (
    <>
      <a class="skip" href={`${location.pathname}${location.search}#content`} onClick={skip}>
        Skip to content
      </a>
      <Bar user={value.user} />
      <Boundary of={place.url} frame={Broken}>
        <View key={changes.value} place={place} />
      </Boundary>
      <Boundary of={place.url}>
        <Dock place={place} />
      </Boundary>
      <Notices />
      <Boundary of={place.url}>
        <Palette />
      </Boundary>
      <Keys />
    </>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('main')?.focus();
}

function View({ place: { segments } }: { readonly place: CurrentRoute }) {
  const [first = '', second, third, ...rest] = segments;
  if (first === 'repositories')
    return second === undefined ? <Repositories /> : <Repository key={second} repository={second} tab={third} rest={rest} />;
  const page = pageAt(segments);
  if (page)
    return (
      <main id="content" tabIndex={-1}>
        {page.render(restOf(page, segments))}
      </main>
    );
  if (!partsLoaded.value)
    return (
      <main id="content">
        <Loading />
      </main>
    );
  return (
    <main id="content" tabIndex={-1}>
      <Empty icon="search" title="There is no such page">
        <a href={to('repositories')}>All repositories</a>
      </Empty>
    </main>
  );
}

function Broken(message: ComponentChildren) {
  return (
    <main id="content" tabIndex={-1}>
      {message}
    </main>
  );
}

function NoEntry() {
  return (
    <CenteredCard>
      <Empty icon="lock" title="You are not logged in">
        <p>This server has no page to log in.</p>
      </Empty>
    </CenteredCard>
  );
}

/** The page whose id, which may have several segments, the address begins with; the longest counts. */
function pageAt(segments: readonly string[]) {
  const path = `${segments.join('/')}/`;
  return ownPages.value
    .filter(({ id }) => path.startsWith(`${id}/`))
    .reduce<(typeof ownPages.value)[number] | undefined>(
      (best, page) => (best && best.id.length > page.id.length ? best : page),
      undefined,
    );
}

const restOf = ({ id }: { readonly id: string }, segments: readonly string[]): readonly string[] => segments.slice(id.split('/').length);

const entryPage = (entry: Entry) => ownPages.value.find(page => page.entry === entry);

/** Sends users who are not logged in to the entry of the server, and everybody to the set-up of a new one. */
function useRedirects({ segments, url, go }: CurrentRoute): void {
  const path = segments.join('/');
  useEffect(() => {
    const needed = entryNeeded();
    const entry = needed && entryPage(needed);
    if (entry) {
      const here = pageAt(segments)?.entry;
      const next = needed === 'out' && path !== '' ? url : undefined;
      // The set-up says itself that it is done.
      if (here === undefined || (needed === 'new' && here !== 'new')) go(to(...entry.id.split('/'), { next }), { replace: true });
    } else if (session.value.state === 'in' && path === '') go(to('repositories'), { replace: true });
  }, [session.value, ownPages.value, path]);
}
