/** One choice for each conflict; then the merge. */

import { Alert, Button, FormDialog, With, call, counted, explained, notify, shortRef, shownName, useAsync } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { ConflictsChanged, findConflicts } from '../../../src/model/settlement.js';
import { ConflictRow } from './conflict-row.js';
import type { Merge, MergeCommit, Side } from '../../../src/model/settlement.js';

const most = 500;

interface ResolveDialogProps extends Merge {
  /** The merge that follows; absent: the conflicts are settled, and nothing is merged yet. */
  readonly commit?: MergeCommit;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** The conflicts, and what is chosen of the list that is shown. */
function useConflicts(merge: Merge) {
  const [choices, setChoices] = useState<ReadonlyMap<string, Side>>(new Map());
  const conflicts = useAsync(
    async signal => {
      const found = await findConflicts(call, merge, most, signal);
      setChoices(new Map());
      return found;
    },
    [merge.repository, merge.source, merge.destination],
  );
  const choose = (some: readonly string[], side: Side): void =>
    setChoices(new Map([...choices, ...some.map(path => [path, side] as const)]));
  return { conflicts, paths: conflicts.state === 'ready' ? conflicts.value.paths : [], choices, choose };
}

export function ResolveDialog({ commit, onClose, onDone, ...merge }: ResolveDialogProps) {
  const { repository, source, destination } = merge;
  const { conflicts, paths, choices, choose } = useConflicts(merge);
  const [shown, setShown] = useState<string>();
  const open = paths.filter(path => !choices.has(path)).length;
  const submit = async (): Promise<void> => {
    if (conflicts.state !== 'ready') return;
    const { settlement } = conflicts.value;
    try {
      await settlement.apply(choices);
      notify(
        commit === undefined ? `Settled ${counted(choices.size, 'conflict')}` : `Merged as ${shortRef(await settlement.merge(commit))}`,
      );
    } catch (error) {
      if (error instanceof ConflictsChanged) conflicts.reload();
      throw error;
    }
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
      action={commit === undefined ? 'Settle' : 'Settle and merge'}
      off={off}
      onClose={onClose}
      onSubmit={submit}
      describe={error => explained(error, repository)}
    >
      <p>
        Both branches changed these objects. The choices become commits on <strong>{shownName(source)}</strong>, which{' '}
        {commit === undefined ? 'can then be merged' : 'is then merged'} into <strong>{shownName(destination)}</strong>.
      </p>
      <With answer={conflicts}>
        {({ base, heads }) =>
          paths.length === 0 ? (
            <Alert kind="note">There are no conflicts any more: merge again.</Alert>
          ) : (
            <>
              <div class="group">
                <Button onClick={() => choose(paths, 'source')}>All from {shownName(source)}</Button>
                <Button onClick={() => choose(paths, 'destination')}>All from {shownName(destination)}</Button>
              </div>
              <ul class="bare-list card">
                {paths.slice(0, most).map(path => (
                  <ConflictRow
                    key={path}
                    {...merge}
                    {...heads}
                    base={base}
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
