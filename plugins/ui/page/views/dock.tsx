/** The shell beside a view, at the lower edge of the window. */
import { signal } from '@preact/signals';
import { Button, later, to } from '@srv/lib-page/page';
import { useEffect } from 'preact/hooks';
import type { CurrentRoute } from '@srv/lib-page/page';

const Shell = later(() => import('../shell/shell.js').then(module => module.Shell));

export const isDocked = signal(false);

/** Opens the dock or closes it. */
export function toggleDock(): void {
  isDocked.value = !isDocked.value;
}

export function Dock({ place }: { readonly place: CurrentRoute }) {
  // A page of its own needs no dock.
  return isDocked.value && place.segments[0] !== 'shell' ? <OpenDock place={place} /> : null;
}

function OpenDock({ place }: { readonly place: CurrentRoute }) {
  useEffect(() => {
    const before = document.activeElement;
    document.documentElement.classList.add('docked');
    return () => {
      document.documentElement.classList.remove('docked');
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const close = (): void => {
    isDocked.value = false;
  };
  return (
    <aside class="dock" aria-label="Shell">
      <div class="dock-head">
        <h2 class="grow">Shell</h2>
        <Button kind="plain" icon="link" label="Open as a page" onClick={() => place.go(to('shell'))} />
        <Button kind="plain" icon="close" label="Close the shell" onClick={close} />
      </div>
      <Shell onClose={close} />
    </aside>
  );
}
