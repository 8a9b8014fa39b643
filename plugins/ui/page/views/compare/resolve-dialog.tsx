/** One choice for each conflict; then the merge. */

import { Alert, Button, FormDialog, With, call, counted, explained, notify, shortRef, shownName, useAsync } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { ConflictRow } from './conflict-row.js';
import { conflictsOf, settle } from './resolve.js';
import type { Choice, Merge } from './resolve.js';

const most = 500;

interface ResolveDialogProps extends Merge {
  /** Of the merge that follows; absent: the conflicts are settled, and nothing is merged yet. */
  readonly message?: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function ResolveDialog({ message, onClose, onDone, ...merge }: ResolveDialogProps) {
  const { repository, source, destination } = merge;
  const conflicts = useAsync(signal => conflictsOf(merge, most, signal), [repository, source, destination]);
  const base = useAsync(
    signal => call('findMergeBase', { repository, sourceRef: source, destinationBranch: destination }, { signal }),
    [repository, source, destination],
  );
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map());
  const [shown, setShown] = useState<string>();
  const paths = conflicts.state === 'ready' ? conflicts.value : [];
  const open = paths.filter(path => !choices.has(path)).length;
  const choose = (some: readonly string[], choice: Choice): void =>
    setChoices(new Map([...choices, ...some.map(path => [path, choice] as const)]));
  const submit = async (): Promise<void> => {
    await settle(merge, choices);
    if (message === undefined) {
      notify(`Settled ${counted(choices.size, 'conflict')}`);
      return onDone();
    }
    const { reference } = await call('mergeIntoBranch', {
      repository,
      sourceRef: source,
      destinationBranch: destination,
      body: { message },
    });
    notify(`Merged as ${shortRef(reference)}`);
    onDone();
  };
  const off =
    conflicts.state !== 'ready'
      ? 'the conflicts are not loaded'
      : paths.length > most
        ? 'these are too many conflicts; choose a strategy'
        : open > 0 && `${counted(open, 'conflict')} left`;
  return (
    <FormDialog
      wide
      title="Settle the conflicts"
      action={message === undefined ? 'Settle' : 'Settle and merge'}
      off={off}
      onClose={onClose}
      onSubmit={submit}
      describe={error => explained(error, repository)}
    >
      <p>
        Both branches changed these objects. The choices become commits on <strong>{shownName(source)}</strong>, which{' '}
        {message === undefined ? 'can then be merged' : 'is then merged'} into <strong>{shownName(destination)}</strong>.
      </p>
      <With answer={conflicts}>
        {found =>
          found.length === 0 ? (
            <Alert kind="note">There are no conflicts any more: merge again.</Alert>
          ) : (
            <>
              <div class="group">
                <Button onClick={() => choose(found, 'source')}>All from {shownName(source)}</Button>
                <Button onClick={() => choose(found, 'destination')}>All from {shownName(destination)}</Button>
              </div>
              <ul class="bare-list card">
                {found.slice(0, most).map(path => (
                  <ConflictRow
                    key={path}
                    {...merge}
                    base={base.state === 'ready' ? base.value.base_commit_id : undefined}
                    path={path}
                    choice={choices.get(path)}
                    isOpen={shown === path}
                    onOpen={isOpen => setShown(isOpen ? path : undefined)}
                    onChoose={choice => choose([path], choice)}
                  />
                ))}
              </ul>
            </>
          )
        }
      </With>
    </FormDialog>
  );
}
