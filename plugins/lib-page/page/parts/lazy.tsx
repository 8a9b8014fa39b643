/** Parts of the page that are loaded when they are needed. */
import { useEffect, useState } from 'preact/hooks';
import { Failed, Loading } from './states.js';
import type { ComponentType } from 'preact';

/**
 * After an upgrade of the server old files are gone: the new page has the new names. Tried once, and only if the server answers:
 * the page that is there is better than the browser's own about a lost connection.
 */
async function reloadOnce(): Promise<boolean> {
  const key = 'srv.reloaded';
  try {
    if (sessionStorage.getItem(key) !== null) return false;
    const { ok } = await fetch(document.baseURI, { method: 'HEAD', cache: 'no-store', headers: { accept: 'text/html' } });
    if (!ok) return false;
    sessionStorage.setItem(key, '1');
    setTimeout(() => sessionStorage.removeItem(key), 10_000);
  } catch {
    return false;
  }
  location.reload();
  return true;
}

const lost = 'This part of the page cannot be loaded: the server cannot be reached. Check the connection, then try again.';

/** @example const Viewer = later(() => import('./viewer.js').then(({ Viewer }) => Viewer)); */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): (props: P) => preact.JSX.Element {
  let loaded: ComponentType<P> | undefined;
  return function Later(props: P) {
    const [state, setState] = useState<{ ready: boolean; error?: unknown }>({ ready: loaded !== undefined });
    const [turn, setTurn] = useState(0);
    useEffect(() => {
      if (loaded) return;
      setState({ ready: false });
      load().then(
        component => {
          loaded = component;
          setState({ ready: true });
        },
        () =>
          reloadOnce().then(isGone => {
            if (!isGone) setState({ ready: false, error: new Error(lost) });
          }),
      );
    }, [turn]);
    if (state.error !== undefined) return <Failed error={state.error} retry={() => setTurn(turn + 1)} />;
    const Loaded = loaded;
    return Loaded ? <Loaded {...props} /> : <Loading />;
  };
}
