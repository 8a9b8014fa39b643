/** Adds some of another list: members of a group, groups of a user, policies. */

import { FormDialog, Search, shownName, usePages } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { useFoundItems } from './found-items.js';
import { list } from './shapes.js';
import { useTicked } from './ticked.js';
import type { Create, Item } from './named-list.js';

/** `create` of a list whose items come from another list. */
export function attaching(text: string, off: string | undefined, operationId: string, act: AttachProps['act']): Create {
  return {
    text,
    off,
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

const mostShown = 100;

/** Chooses some of a list, however long it is. */
function Attach({ title, operationId, act, onClose, onDone }: AttachProps) {
  const [filter, setFilter] = useState('');
  const ticked = useTicked();
  const pages = usePages((after, signal) => list<Item & { friendly_name?: string }>(operationId, {}, after, signal), [operationId]);
  const found = useFoundItems(pages, filter, ({ id, friendly_name: name = '' }) => `${id} ${name}`);
  const count = ticked.ids.size;
  return (
    <FormDialog
      title={title}
      action={count === 0 ? 'Add' : `Add ${count}`}
      off={count === 0 && 'tick some first'}
      onClose={onClose}
      onSubmit={async () => {
        for (const id of ticked.ids) await act(id);
        onDone();
      }}
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
