/** What stands in the way of a merge, and the way out of it. */
import { Alert, Button, ConflictDialog, branchResource, counted, shownName, useDenial } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import type { MergeState } from './merge-state.js';
import type { PullRequest } from './shapes.js';

interface MergeAlertProps {
  readonly repository: string;
  readonly pull: PullRequest;
  readonly state: MergeState;
  /** Why nothing can be changed. */
  readonly off: string | undefined;
  readonly onSettled: () => void;
}

export function MergeAlert({ repository, pull, state: { conflicts, isCut }, off, onSettled }: MergeAlertProps) {
  const [settling, setSettling] = useState(false);
  const { source_branch: source, destination_branch: destination } = pull;
  const mayNotCommit = useDenial('fs:CreateCommit', branchResource(repository, source));
  if (conflicts.length === 0) return null;
  return (
    <div class="gap">
      <Alert>
        <p>
          {isCut ? 'At least ' : ''}
          {counted(conflicts.length, 'conflict')}: {shownName(source)} and {shownName(destination)} both changed{' '}
          {conflicts.slice(0, 5).map(shownName).join(', ')}
          {conflicts.length > 5 || isCut ? ', …' : ''}.
        </p>
        <Button off={off ?? mayNotCommit} onClick={() => setSettling(true)}>
          Settle the conflicts
        </Button>
      </Alert>
      {settling && (
        <ConflictDialog
          repository={repository}
          source={source}
          destination={destination}
          onClose={() => setSettling(false)}
          onDone={() => {
            setSettling(false);
            onSettled();
          }}
        />
      )}
    </div>
  );
}
