/** Searches repositories, views, branches, tags and objects by a few letters. */

import { Icon, shownName, usePlace } from '@srv/lib-page/page';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { rank } from '../../src/model/rank.js';
import { useTargets } from './palette-targets.js';
import type { Target } from '@srv/lib-page/page';

const mostShown = 30;

export function PaletteDialog({ onClose: close }: { readonly onClose: () => void }) {
  const place = usePlace();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const repository = place.segments[0] === 'repositories' ? place.segments[1] : undefined;
  const ref = place.query['ref'];
  const found = useTargets(repository, ref, text);
  const ranked = useMemo(() => rank(found, text, ({ text: name, also }) => also ?? name).slice(0, mostShown), [found, text]);
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
        placeholder={repository === undefined ? 'Repository or page' : 'Branch, tag, path, commit, view or repository'}
        autoFocus
        value={text}
        onInput={event => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={pressed}
      />
      <Results targets={ranked} chosen={chosen} onPoint={setAt} onOpen={open} />
      {ranked.length === 0 && (
        <p class="menu-note muted" role="status">
          Nothing found
        </p>
      )}
    </dialog>
  );
}

interface ResultsProps {
  readonly targets: readonly Target[];
  /** Index of what Enter opens. */
  readonly chosen: number;
  readonly onPoint: (index: number) => void;
  readonly onOpen: (target: Target) => void;
}

function Results({ targets, chosen, onPoint, onOpen }: ResultsProps) {
  return (
    <div role="listbox" id="palette-list" aria-label="Results">
      {targets.map((target, i) => (
        <div
          key={`${target.kind} ${target.href}`}
          id={`palette-${i}`}
          role="option"
          aria-selected={i === chosen}
          onMouseMove={() => onPoint(i)}
          onClick={() => onOpen(target)}
        >
          <Icon name={target.icon} />
          <bdi class="grow one-line">{shownName(target.text)}</bdi>
          <span class="muted small">{target.kind}</span>
        </div>
      ))}
    </div>
  );
}
