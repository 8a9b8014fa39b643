/** Parts of the page that are loaded when they are needed. */
import { useEffect, useState } from 'preact/hooks';
import { Failed, Loading } from './states.js';
import type { ComponentType } from 'preact';

/** After an upgrade of the server old files are gone: the new page has the new names. Tried once. */
function reloadOnce(): boolean {
  const key = 'srv.reloaded';
  try {
    if (sessionStorage.getItem(key) !== null) return false;
    sessionStorage.setItem(key, '1');
    setTimeout(() => sessionStorage.removeItem(key), 10_000);
  } catch {
    return false;
  }
  location.reload();
  return true;
}

/** @example const Viewer = later(() => import('./viewer.js').then(({ Viewer }) => Viewer)); */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): (props: P) => preact.JSX.Element {
  let loaded: ComponentType<P> | undefined;
  return function Later(props: P) {
    const [state, setState] = useState<{ ready: boolean; error?: unknown }>({ ready: loaded !== undefined });
    useEffect(() => {
      if (loaded) return;
      load().then(
        component => {
          loaded = component;
          setState({ ready: true });
        },
        (error: unknown) => {
          if (!reloadOnce()) setState({ ready: false, error });
        },
      );
    }, []);
    if (state.error !== undefined) return <Failed error={state.error} />;
    const Loaded = loaded;
    return Loaded ? <Loaded {...props} /> : <Loading />;
  };
}
