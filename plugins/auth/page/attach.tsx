/** Adds some of another list: members of a group, groups of a user, policies. */

import { FormDialog, Search, shownName, usePages } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { useFoundItems } from './found-items.js';
import { list } from './shapes.js';
import { useTicked } from './ticked.js';
import { tryEach } from './try-each.js';
import type { Create, Item } from './named-list.js';

/** `create` of a list whose items come from another list. */
export function attaching(text: string, off: string | undefined, operationId: string, act: AttachProps['act']): Create {
  return {
    text,
    off,
    dialog: (close, done, reload) => (
      <Attach title={text} operationId={operationId} act={act} onClose={close} onDone={done} onReload={reload} />
    ),
  };
}

interface AttachProps {
  readonly title: string;
  readonly operationId: string;
  /** Adds one. */
  readonly act: (id: string) => Promise<unknown>;
  readonly onClose: () => void;
  readonly onDone: () => void;
  /** The list may have changed; the dialog stays. */
  readonly onReload: () => void;
}

const mostShown = 100;

/** Chooses some of a list, however long it is. */
function Attach({ title, operationId, act, onClose, onDone, onReload }: AttachProps) {
  const [filter, setFilter] = useState('');
  const ticked = useTicked();
  const pages = usePages((after, signal) => list<Item & { friendly_name?: string }>(operationId, {}, after, signal), [operationId]);
  const found = useFoundItems(pages, filter, ({ id, friendly_name: name = '' }) => `${id} ${name}`);
  const count = ticked.ids.size;
  /** Those that could not be added stay ticked, for another attempt. */
  const addAll = async (): Promise<void> => {
    const { done, failures } = await tryEach(ticked.ids, act, 409);
    if (failures.length === 0) return onDone();
    for (const id of done) ticked.tick(id, false);
    onReload();
    throw new Error(failures.join('\n'));
  };
  return (
    <FormDialog
      title={title}
      action={count === 0 ? 'Add' : `Add ${count}`}
      off={count === 0 && 'tick some first'}
      onClose={onClose}
      onSubmit={addAll}
    >
      <Search label="Find" value={filter} onInput={setFilter} />
      <div class="scroll form" role="group" aria-label={title}>
        {found.slice(0, mostShown).map(({ id }) => (
          <label class="check" key={id}>
            <input type="checkbox" checked={ticked.ids.has(id)} onChange={event => ticked.tick(id, event.currentTarget.checked)} />
            <span>{shownName(id)}</span>
          </label>
        ))}
        {found.length === 0 && pages.state !== 'loading' && <p class="muted">Nothing matches</p>}
      </div>
    </FormDialog>
  );
}
