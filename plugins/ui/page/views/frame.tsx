/** The frame around every view: who is in, where one is, what went wrong. */
import { useEffect } from 'preact/hooks';
import { ErrorBoundary } from 'preact-iso';
import { useState } from 'preact/hooks';
import { usePlace } from '../core/location.js';
import { session, refreshSession } from '../core/session.js';
import { changes } from '../core/changes.js';
import { ownPages } from '../core/registry.js';
import { partsLoaded } from '../core/page-parts.js';
import { to } from '../core/links.js';
import { later } from '../parts/lazy.js';
import { Empty, Failed, Loading } from '../parts/states.js';
import { Bar } from './bar.js';
import { Dock } from './dock.js';
import { Login, nextAfterLogin } from './login.js';
import { Notices } from './notices.js';
import { Repositories } from './repositories/repositories.js';
import { Repository } from './repository.js';
import { Keys, useKeys } from './keys.js';
import { Palette } from './palette.js';
import type { CurrentRoute } from '../core/location.js';

const Setup = later(() => import('./setup.js').then(module => module.Setup));

export function Frame() {
  const place = usePlace();
  const [error, setError] = useState<unknown>();
  const [first = ''] = place.segments;
  useKeys(place);
  useRedirects(place);
  useEffect(() => setError(undefined), [place.url]);
  const { value } = session;
  if (value.state === 'unknown') return <main aria-busy="true" />;
  if (value.state === 'unreachable')
    return (
      <main>
        <Failed error={value.error} retry={() => void refreshSession()} />
      </main>
    );
  if (first === 'setup') return <Setup />;
  if (value.state === 'out') return first === 'auth' && place.segments[1] === 'login' ? <Login /> : <main aria-busy="true" />;
  return (
    <>
      <a class="skip" href={`${location.pathname}${location.search}#content`} onClick={skip}>
        Skip to content
      </a>
      <Bar user={value.user} />
      <ErrorBoundary onError={setError}>
        {error === undefined ? <View key={changes.value} place={place} /> : <Broken error={error} />}
      </ErrorBoundary>
      <Dock place={place} />
      <Notices />
      <Palette />
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
  const page = ownPages.value.find(({ id }) => id === first);
  if (page)
    return (
      <main id="content" tabIndex={-1}>
        {page.render(segments.slice(1))}
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

function Broken({ error }: { readonly error: unknown }) {
  return (
    <main id="content" tabIndex={-1}>
      <Failed error={error} retry={() => location.reload()} />
    </main>
  );
}

/** Sends users who are not logged in to the form and back, and everybody to the set-up of a new server. */
function useRedirects({ segments, query, url, go }: CurrentRoute): void {
  const { value } = session;
  const path = segments.join('/');
  useEffect(() => {
    const isNew = (value.state === 'out' || value.state === 'in') && value.setup.state === 'not_initialized';
    if (isNew) {
      if (segments[0] !== 'setup') go(to('setup'), { replace: true });
    } else if (value.state === 'out') {
      if (path !== 'auth/login' && segments[0] !== 'setup')
        go(to('auth', 'login', { next: path === '' || path === 'logout' ? undefined : url }), { replace: true });
    } else if (value.state === 'in') {
      if (path === 'auth/login') go(nextAfterLogin(query['next']), { replace: true });
      else if (path === '' || path === 'login') go(to('repositories'), { replace: true });
    }
  }, [value, path]);
}
