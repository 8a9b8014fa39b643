/** Takes away what is ticked, one after the other. */
import { Confirm, counted, messageOf, notify, shownName } from '@srv/lib-page/page';

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
  readonly ids: ReadonlySet<string>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const mostListed = 10;

export function RemoveDialog({ remove: { word, act }, noun, many, ids, onClose, onDone }: RemoveDialogProps) {
  const removeAll = async (): Promise<void> => {
    const failed: string[] = [];
    for (const id of ids) await act(id).catch((error: unknown) => failed.push(`${shownName(id)}: ${messageOf(error)}`));
    if (failed.length === ids.size) throw new Error(failed.join('\n'));
    if (failed.length > 0) notify(failed.join('; '), 'failed');
    onDone();
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
