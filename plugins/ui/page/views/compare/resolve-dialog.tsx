/** One choice for each conflict; then the merge. */
import { useState } from 'preact/hooks';
import { Alert, Button, FormDialog, With, call, counted, explained, notify, shortRef, shownName, useAsync } from '@srv/lib-page/page';
import { ContentDiff } from '../changes/content-diff.js';
import { conflictsOf, settle } from './resolve.js';
import type { Choice, Merge } from './resolve.js';

const most = 500;

interface ResolveDialogProps extends Merge {
  readonly message: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function ResolveDialog({ message, onClose, onDone, ...merge }: ResolveDialogProps) {
  const { repository, source, destination } = merge;
  const conflicts = useAsync(signal => conflictsOf(merge, most, signal), [repository, source, destination]);
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map());
  const [shown, setShown] = useState<string>();
  const paths = conflicts.state === 'ready' ? conflicts.value : [];
  const open = paths.filter(path => !choices.has(path)).length;
  const choose = (some: readonly string[], choice: Choice): void =>
    setChoices(new Map([...choices, ...some.map(path => [path, choice] as const)]));
  const submit = async (): Promise<void> => {
    await settle(merge, choices);
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
      action="Settle and merge"
      off={off}
      onClose={onClose}
      onSubmit={submit}
      describe={error => explained(error, repository)}
    >
      <p>
        Both branches changed these objects. The choices become commits on <strong>{shownName(source)}</strong>, which is then merged into{' '}
        <strong>{shownName(destination)}</strong>.
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
                  <li key={path}>
                    <div class="row conflict-row">
                      <Button
                        kind="plain"
                        icon={shown === path ? 'down' : 'right'}
                        label={`Compare ${shownName(path)}`}
                        aria-expanded={shown === path}
                        onClick={() => setShown(shown === path ? undefined : path)}
                      />
                      <bdi class="one-line">{shownName(path)}</bdi>
                      <div class="group" role="group" aria-label={`Which ${shownName(path)}`}>
                        {(['source', 'destination'] as const).map(choice => (
                          <Button key={choice} pressed={choices.get(path) === choice} onClick={() => choose([path], choice)}>
                            {shownName(choice === 'source' ? source : destination)}
                          </Button>
                        ))}
                      </div>
                    </div>
                    {shown === path && (
                      <ContentDiff
                        repository={repository}
                        left={destination}
                        right={source}
                        change={{ type: 'conflict', path, path_type: 'object' }}
                      />
                    )}
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </With>
    </FormDialog>
  );
}
