/** Takes away what is ticked, one after the other. */
import { Confirm, counted, shownName } from '@srv/lib-page/page';
import { tryEach } from './try-each.js';
import type { Ticked } from './ticked.js';

export interface Remove {
  readonly word: string;
  /** Why it cannot be done to any of them. */
  readonly off: string | undefined;
  readonly act: (id: string) => Promise<unknown>;
  /** Why one of them stays. */
  readonly stays?: (id: string) => string | undefined;
}

interface RemoveDialogProps {
  readonly remove: Remove;
  readonly noun: string;
  readonly many: string;
  readonly ticked: Ticked;
  readonly onClose: () => void;
  readonly onDone: () => void;
  /** The list may have changed; the dialog stays. */
  readonly onReload: () => void;
}

const mostListed = 10;

export function RemoveDialog({ remove: { word, act }, noun, many, ticked, onClose, onDone, onReload }: RemoveDialogProps) {
  const { ids } = ticked;
  /** Those that stay are still ticked, for another attempt. */
  const removeAll = async (): Promise<void> => {
    const { done, failures } = await tryEach(ids, act, 404);
    if (failures.length === 0) return onDone();
    for (const id of done) ticked.tick(id, false);
    onReload();
    throw new Error(failures.join('\n'));
  };
  return (
    <Confirm
      title={`${word} ${counted(ids.size, noun, many)}`}
      action={`Yes, ${word.toLowerCase()}`}
      onClose={onClose}
      onConfirm={removeAll}
    >
      <ul>
        {[...ids].slice(0, mostListed).map(id => (
          <li key={id}>{shownName(id)}</li>
        ))}
      </ul>
    </Confirm>
  );
}
