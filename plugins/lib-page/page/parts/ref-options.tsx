/** The names that a picker of refs offers, one of which is highlighted: Enter leads there. */
import { useEffect, useState } from 'preact/hooks';
import { shownName } from '../../src/model/text.js';
import { Icon } from './icon.js';
import type { IconName } from './icon.js';

interface RefOption {
  readonly id: string;
  /** Not a name of the list: any ref can be typed. */
  readonly isTyped: boolean;
  readonly icon: IconName;
}

export function optionsFor(found: readonly { readonly id: string }[], typed: string, kind: string): readonly RefOption[] {
  const names = found.map(({ id }): RefOption => ({ id, isTyped: false, icon: kind === 'Tags' ? 'tag' : 'branch' }));
  if (typed === '' || names.some(({ id }) => id === typed)) return names;
  return [...names, { id: typed, isTyped: true, icon: 'commit' }];
}

/** The exact name, else the first that contains the text, until arrow keys move it. @returns -1 for none. */
export function useHighlight(
  options: readonly RefOption[],
  text: string,
): { readonly at: number; readonly move: (event: KeyboardEvent) => void } {
  const [moved, setMoved] = useState<{ readonly text: string; readonly at: number }>();
  const typed = text.trim();
  const exact = options.findIndex(({ id, isTyped }) => id === typed && !isTyped);
  const byHand = moved?.text === text ? moved.at : undefined;
  const at = typed === '' && byHand === undefined ? -1 : Math.min(byHand ?? Math.max(0, exact), options.length - 1);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || options.length === 0) return;
    event.preventDefault();
    // Before the first is the last.
    const next = at < 0 && step < 0 ? options.length - 1 : (at + step + options.length) % options.length;
    setMoved({ text, at: next });
  };
  return { at, move };
}

interface RefOptionsProps {
  /** Id of the list. */
  readonly list: string;
  readonly label: string;
  readonly options: readonly RefOption[];
  readonly at: number;
  /** What is chosen now. */
  readonly value: string;
  readonly onPick: (ref: string) => void;
}

export function RefOptions({ list, label, options, at, value, onPick }: RefOptionsProps) {
  useEffect(() => {
    if (at >= 0) document.getElementById(`${list}-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  return (
    <div class="picker-list" role="listbox" id={list} aria-label={label}>
      {options.map(({ id, isTyped, icon }, i) => (
        <div
          key={isTyped ? 'typed' : id}
          id={`${list}-${i}`}
          role="option"
          tabIndex={-1}
          aria-selected={i === at}
          class="pick"
          onClick={() => onPick(id)}
        >
          <Icon name={id === value ? 'check' : icon} />
          <bdi class={id === value ? 'one-line current' : 'one-line'}>{isTyped ? `Open “${shownName(id)}”` : shownName(id)}</bdi>
        </div>
      ))}
    </div>
  );
}
