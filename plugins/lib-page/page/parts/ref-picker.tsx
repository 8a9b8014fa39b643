/** Chooses a branch, a tag, or anything else that names a commit. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { shortRef, shownName } from '../../src/model/text.js';
import { usePages } from '../core/async-data.js';
import { ask } from '../core/client.js';
import { recentRefs, rememberRef } from '../core/recent-refs.js';
import { Button } from './button.js';
import { Icon } from './icon.js';
import { usePopover } from './menu.js';
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
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        const best = found.find(({ id }) => id === typed)?.id ?? typed;
        if (best !== '') onPick(best);
      }}
    >
      <input
        class="input"
        autoFocus
        ref={input => input?.focus()}
        aria-label="Find a branch or tag, or type any ref"
        placeholder="Find, or type a commit id or main~2"
        value={text}
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
      <ul class="picker-list" aria-label={kind}>
        {found.map(({ id }) => (
          <li key={id}>
            <button type="button" class="pick" aria-current={id === value ? 'true' : undefined} onClick={() => onPick(id)}>
              <Icon name={id === value ? 'check' : kind === 'Tags' ? 'tag' : 'branch'} />
              <bdi class="one-line">{shownName(id)}</bdi>
            </button>
          </li>
        ))}
      </ul>
      <div class="menu-note small muted" role="status">
        {pages.state === 'loading' || (text !== '' && pages.state === 'more')
          ? 'Searching…'
          : found.length === 0
            ? typed === ''
              ? `No ${kind.toLowerCase()}`
              : `Enter opens “${shownName(typed)}”`
            : found.length === mostShown
              ? 'Type to see others'
              : ''}
      </div>
    </form>
  );
}
