/** Lists of users, groups and policies: found by any part of the name, ticked, deleted, created. */

import { Button, Empty, ListPage, PagedRows, Search, usePages } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { useFoundItems } from './found-items.js';
import { NamedRow } from './named-row.js';
import { RemoveDialog } from './remove-dialog.js';
import { list } from './shapes.js';
import { useTicked } from './ticked.js';
import type { IconName } from '@srv/lib-page/page';
import type { ComponentChildren } from 'preact';
import type { Remove } from './remove-dialog.js';

export interface Item {
  readonly id: string;
  readonly creation_date?: number;
}

export interface Create {
  readonly text: string;
  /** Why it cannot be done. */
  readonly off: string | undefined;
  /** @param done closes it, and reads the list again. @param reload only reads the list again. */
  readonly dialog: (close: () => void, done: () => void, reload: () => void) => ComponentChildren;
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
  readonly remove?: Remove;
  readonly create?: Create;
}

export function NamedList<T extends Item>(props: NamedListProps<T>) {
  const { title, noun, many, icon, operationId, input = {}, nameOf = ({ id }) => id, remove, create } = props;
  const [filter, setFilter] = useState('');
  const [dialog, setDialog] = useState<'create' | 'remove'>();
  const ticked = useTicked();
  const pages = usePages((after, signal) => list<T>(operationId, input, after, signal), [operationId, input]);
  const shown = useFoundItems(pages, filter, item => `${nameOf(item)} ${item.id}`);
  const close = (): void => setDialog(undefined);
  const done = (): void => {
    close();
    ticked.clear();
    pages.reload();
  };
  return (
    <ListPage>
      <div class="toolbar">
        <h2>{title}</h2>
        <span class="spread group">
          <Search label={`Find a ${noun}`} value={filter} onInput={setFilter} />
          {remove && ticked.ids.size > 0 && (
            <Button kind="danger" icon="trash" off={remove.off} onClick={() => setDialog('remove')}>
              {remove.word} {ticked.ids.size}
            </Button>
          )}
          {create && (
            <Button kind="primary" icon="plus" off={create.off} onClick={() => setDialog('create')}>
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
          empty={<Empty icon={icon} title={filter === '' ? `No ${many}` : `No ${noun} matches`} />}
          row={item => (
            <NamedRow
              key={item.id}
              id={item.id}
              name={nameOf(item)}
              icon={icon}
              href={props.hrefOf(item)}
              note={props.note?.(item)}
              created={item.creation_date}
              ticked={remove && ticked}
              stays={remove?.stays?.(item.id)}
            />
          )}
        />
      </div>
      {dialog === 'create' && create?.dialog(close, done, pages.reload)}
      {dialog === 'remove' && remove && (
        <RemoveDialog remove={remove} noun={noun} many={many} ticked={ticked} onClose={close} onDone={done} onReload={pages.reload} />
      )}
    </ListPage>
  );
}
