/** Keys that work everywhere. */
import { signal } from '@preact/signals';
import { later, tabs, to } from '@srv/lib-page/page';
import { useLayoutEffect } from 'preact/hooks';
import { toggleDock } from './dock.js';
import { openPalette } from './palette.js';
import type { CurrentRoute } from '@srv/lib-page/page';

const KeysDialog = later(() => import('./keys-dialog.js').then(module => module.KeysDialog));

const isOpen = signal(false);

const modifiers: ReadonlySet<string> = new Set(['Shift', 'Control', 'Alt', 'Meta', 'CapsLock']);

/** Whether the last key was the first of a pair. No view owns it: `g` may be pressed while one makes way for the next. */
let isAfterG = false;

export function useKeys(place: CurrentRoute): void {
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (modifiers.has(event.key)) return;
      const isSecond = isAfterG;
      isAfterG = false;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        openPalette();
        return;
      }
      if (event.ctrlKey && event.key === '`') {
        event.preventDefault();
        toggleDock();
        return;
      }
      const elsewhere =
        event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable], dialog, [popover]') !== null;
      if (elsewhere || event.ctrlKey || event.metaKey || event.altKey) return;
      const repository = place.segments[0] === 'repositories' ? place.segments[1] : undefined;
      const tab = isSecond ? tabs.value.find(({ key }) => key === event.key) : undefined;
      if (tab && repository !== undefined) {
        place.go(to('repositories', repository, tab.id, { ref: place.query['ref'] }));
      } else if (event.key === 'g') isAfterG = true;
      else if (event.key === '?') isOpen.value = true;
      else if (event.key === '`') {
        event.preventDefault();
        toggleDock();
      } else if (event.key === 'j' || event.key === 'k') moveRow(event.key === 'j' ? 1 : -1);
      else if (event.key === '/') {
        const filter = document.querySelector<HTMLInputElement>('main [data-filter]');
        if (!filter) return;
        event.preventDefault();
        filter.focus();
      }
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [place.url]);
}

/** Focuses the first link of the row after the one that has the focus. */
function moveRow(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('main [role=table] [role=row] .cell-name a')];
  const row = document.activeElement?.closest('[role=row]');
  const at = links.findIndex(link => row?.contains(link));
  const next = links[at < 0 ? (step > 0 ? 0 : links.length - 1) : at + step];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

export function Keys() {
  return isOpen.value ? <KeysDialog onClose={close} /> : null;
}

function close(): void {
  isOpen.value = false;
}
