/** Chooses a branch, a tag, or anything else that names a commit. */
import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import { shortRef, shownName } from '../../src/model/text.js';
import { usePages } from '../core/async-data.js';
import { ask } from '../core/client.js';
import { recentRefs, rememberRef } from '../core/recent-refs.js';
import { Button } from './button.js';
import { Icon } from './icon.js';
import { usePopover } from './menu.js';
import { RefOptions, optionsFor, useHighlight } from './ref-options.js';
import type { Page } from '../core/async-data.js';

type Kind = 'Branches' | 'Tags' | 'Recent';

interface RefPickerProps {
  readonly repository: string;
  readonly value: string;
  /** What comes before the name, such as `Base branch: `. */
  readonly label: string;
  readonly kinds?: readonly Kind[];
  readonly onPick: (ref: string) => void;
}

export function RefPicker({ repository, value, label, kinds = ['Branches', 'Tags', 'Recent'], onPick }: RefPickerProps) {
  const { open, setOpen, close, anchor, box } = usePopover();
  return (
    <span class="menu-anchor ref-button" ref={anchor}>
      <Button
        icon={/^[0-9a-f]{64}$/.test(value) ? 'commit' : 'branch'}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => (open ? close() : setOpen(true))}
      >
        <span class="muted">{label}</span>
        <span class="name">{shownName(shortRef(value))}</span>
        <Icon name="down" />
      </Button>
      {open && (
        <div ref={box} class="menu picker" popover="auto" role="dialog" aria-label={`Choose: ${label}`}>
          <Choices
            repository={repository}
            value={value}
            kinds={kinds}
            onPick={ref => {
              close();
              rememberRef(repository, ref);
              onPick(ref);
            }}
          />
        </div>
      )}
    </span>
  );
}

interface ChoicesProps extends Omit<RefPickerProps, 'label' | 'kinds'> {
  readonly kinds: readonly Kind[];
}

const pageSize = 1000;
const mostShown = 200;

function Choices({ repository, value, kinds, onPick }: ChoicesProps) {
  const [kind, setKind] = useState<Kind>(kinds[0] ?? 'Branches');
  const [text, setText] = useState('');
  const pages = usePages(
    async (after, signal) => {
      if (kind === 'Recent')
        return { results: recentRefs(repository).map(id => ({ id })), pagination: { has_more: false, next_offset: '' } };
      const operationId = kind === 'Branches' ? 'listBranches' : 'listTags';
      return (await ask(operationId, { repository, after, amount: pageSize }, { signal })) as Page<{ readonly id: string }>;
    },
    [repository, kind],
  );
  // A text anywhere in a name counts, so all names are needed.
  useEffect(() => {
    if (text !== '' && pages.state === 'more') pages.more();
  }, [text, pages.items.length, pages.state]);
  const needle = text.toLowerCase();
  const found = useMemo(() => pages.items.filter(({ id }) => id.toLowerCase().includes(needle)).slice(0, mostShown), [pages.items, needle]);
  const typed = text.trim();
  const options = optionsFor(found, typed, kind);
  const list = useId();
  const { at, move } = useHighlight(options, text);
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        const chosen = options[at]?.id ?? typed;
        if (chosen !== '') onPick(chosen);
      }}
    >
      <input
        class="input"
        autoFocus
        ref={input => input?.focus()}
        aria-label="Find a branch or tag, or type any ref"
        placeholder="Find, or type a commit id or main~2"
        value={text}
        role="combobox"
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={list}
        aria-activedescendant={at < 0 ? undefined : `${list}-${at}`}
        onKeyDown={move}
        onInput={event => setText(event.currentTarget.value)}
      />
      {kinds.length > 1 && (
        <div class="picker-kinds" role="group" aria-label="Kind of ref">
          {kinds.map(name => (
            <Button key={name} kind="plain" pressed={name === kind} onClick={() => setKind(name)}>
              {name}
            </Button>
          ))}
        </div>
      )}
      <RefOptions list={list} label={kind} options={options} at={at} value={value} onPick={onPick} />
      <div class="menu-note small muted" role="status">
        {pages.state === 'loading' || (text !== '' && pages.state === 'more')
          ? 'Searching…'
          : found.length === 0
            ? `No ${kind.toLowerCase()}${typed === '' ? '' : ' of this name'}`
            : found.length === mostShown
              ? 'Type to see others'
              : ''}
      </div>
    </form>
  );
}
