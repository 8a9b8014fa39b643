/** Lists of users, groups and policies: found by any part of the name, ticked, deleted, created. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import {
  Button,
  Confirm,
  Empty,
  FormDialog,
  Icon,
  PagedRows,
  Search,
  Time,
  counted,
  messageOf,
  notify,
  shownName,
  usePages,
} from '@srv/lib-page/page';
import { list } from './shapes.js';
import type { ComponentChildren } from 'preact';
import type { IconName } from '@srv/lib-page/page';

interface Item {
  readonly id: string;
  readonly creation_date?: number;
}

interface Create {
  readonly text: string;
  readonly dialog: (close: () => void, done: () => void) => ComponentChildren;
}

interface NamedListProps<T extends Item> {
  readonly title: string;
  /** One of them. */
  readonly noun: string;
  readonly many: string;
  readonly icon: IconName;
  readonly operationId: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly nameOf?: (item: T) => string;
  readonly hrefOf: (item: T) => string;
  readonly note?: (item: T) => ComponentChildren;
  /** Takes one away; absent: nothing can be ticked. */
  readonly remove?: {
    readonly word: string;
    readonly act: (id: string) => Promise<unknown>;
    readonly stays?: (id: string) => string | undefined;
  };
  readonly create?: Create;
}

export function NamedList<T extends Item>({
  title,
  noun,
  many,
  icon,
  operationId,
  input = {},
  nameOf = ({ id }) => id,
  hrefOf,
  note,
  remove,
  create,
}: NamedListProps<T>) {
  const [filter, setFilter] = useState('');
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<'create' | 'remove'>();
  const pages = usePages((after, signal) => list<T>(operationId, input, after, signal), [operationId, input]);
  const needle = filter.toLowerCase();
  const shown = useMemo(
    () => (needle === '' ? pages.items : pages.items.filter(item => `${nameOf(item)} ${item.id}`.toLowerCase().includes(needle))),
    [pages.items, needle],
  );
  useEffect(() => {
    if (needle !== '' && pages.state === 'more') pages.more();
  }, [needle, pages.items.length, pages.state]);
  const done = (): void => {
    setDialog(undefined);
    setTicked(new Set());
    pages.reload();
  };
  const removeAll = async (): Promise<void> => {
    const failed: string[] = [];
    for (const id of ticked) await remove?.act(id).catch((error: unknown) => failed.push(`${shownName(id)}: ${messageOf(error)}`));
    if (failed.length === ticked.size) throw new Error(failed.join('\n'));
    if (failed.length > 0) notify(failed.join('; '), 'failed');
    done();
  };
  return (
    <>
      <div class="toolbar">
        <h2>{title}</h2>
        <span class="spread group">
          <Search label={`Find a ${noun}`} value={filter} onInput={setFilter} />
          {remove && ticked.size > 0 && (
            <Button kind="danger" icon="trash" onClick={() => setDialog('remove')}>
              {remove.word} {ticked.size}
            </Button>
          )}
          {create && (
            <Button kind="primary" icon="plus" onClick={() => setDialog('create')}>
              {create.text}
            </Button>
          )}
        </span>
      </div>
      <div class="card">
        <PagedRows
          label={title}
          pages={pages}
          items={shown}
          height={38}
          empty={<Empty icon={icon} title={needle === '' ? `No ${many}` : `No ${noun} matches`} />}
          row={item => {
            const stays = remove?.stays?.(item.id);
            return (
              <div class="row named-row" role="row" key={item.id}>
                <span role="cell">
                  {remove && (
                    <input
                      type="checkbox"
                      aria-label={`Select ${shownName(nameOf(item))}`}
                      disabled={stays !== undefined}
                      title={stays}
                      checked={ticked.has(item.id)}
                      onChange={event =>
                        setTicked(
                          new Set(event.currentTarget.checked ? [...ticked, item.id] : [...ticked].filter(other => other !== item.id)),
                        )
                      }
                    />
                  )}
                </span>
                <span role="cell" class="cell-name">
                  <Icon name={icon} />
                  <a href={hrefOf(item)}>
                    <bdi>{shownName(nameOf(item))}</bdi>
                  </a>
                </span>
                <span role="cell" class="muted small one-line wide-only">
                  {note?.(item)}
                </span>
                <span role="cell" class="muted end wide-only">
                  {item.creation_date !== undefined && item.creation_date > 0 && <Time seconds={item.creation_date} />}
                </span>
              </div>
            );
          }}
        />
      </div>
      {dialog === 'create' && create?.dialog(() => setDialog(undefined), done)}
      {dialog === 'remove' && remove && (
        <Confirm
          title={`${remove.word} ${counted(ticked.size, noun, many)}`}
          action={`Yes, ${remove.word.toLowerCase()}`}
          onClose={() => setDialog(undefined)}
          onConfirm={removeAll}
        >
          <ul>
            {[...ticked].slice(0, 10).map(id => (
              <li key={id}>{shownName(id)}</li>
            ))}
          </ul>
        </Confirm>
      )}
    </>
  );
}

/** `create` of a list whose items come from another list. */
export function attaching(text: string, operationId: string, act: AttachProps['act']): Create {
  return {
    text,
    dialog: (close, done) => <Attach title={text} operationId={operationId} act={act} onClose={close} onDone={done} />,
  };
}

interface AttachProps {
  readonly title: string;
  readonly operationId: string;
  /** What is there already. */
  readonly act: (id: string) => Promise<unknown>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Chooses some of a list, however long it is. */
function Attach({ title, operationId, act, onClose, onDone }: AttachProps) {
  const [filter, setFilter] = useState('');
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const pages = usePages((after, signal) => list<Item & { friendly_name?: string }>(operationId, {}, after, signal), [operationId]);
  const needle = filter.toLowerCase();
  const shown = pages.items.filter(({ id, friendly_name: name = '' }) => `${id} ${name}`.toLowerCase().includes(needle)).slice(0, 100);
  useEffect(() => {
    if (needle !== '' && pages.state === 'more') pages.more();
  }, [needle, pages.items.length, pages.state]);
  return (
    <Confirmable
      title={title}
      count={ticked.size}
      onClose={onClose}
      onSubmit={async () => {
        for (const id of ticked) await act(id);
        onDone();
      }}
    >
      <Search label="Find" value={filter} onInput={setFilter} />
      <div class="scroll form" role="group" aria-label={title}>
        {shown.map(({ id }) => (
          <label class="check" key={id}>
            <input
              type="checkbox"
              checked={ticked.has(id)}
              onChange={event =>
                setTicked(new Set(event.currentTarget.checked ? [...ticked, id] : [...ticked].filter(other => other !== id)))
              }
            />
            <span>{shownName(id)}</span>
          </label>
        ))}
        {shown.length === 0 && pages.state !== 'loading' && <p class="muted">Nothing matches</p>}
      </div>
    </Confirmable>
  );
}

interface ConfirmableProps {
  readonly title: string;
  readonly count: number;
  readonly onClose: () => void;
  readonly onSubmit: () => Promise<void>;
  readonly children: ComponentChildren;
}

function Confirmable({ title, count, onClose, onSubmit, children }: ConfirmableProps) {
  return (
    <FormDialog
      title={title}
      action={count === 0 ? 'Add' : `Add ${count}`}
      off={count === 0 && 'tick some first'}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      {children}
    </FormDialog>
  );
}
