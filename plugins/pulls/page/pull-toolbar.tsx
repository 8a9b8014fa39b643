/** The title of a pull request, and what can be done to it. */
import { Button, shownName } from '@srv/lib-page/page';
import { useBranchesDiffer } from './branches-differ.js';
import { StatusBadge } from './status-badge.js';
import type { PullAction } from './pull-dialog.js';
import type { PullRequest } from './shapes.js';

interface PullToolbarProps {
  readonly repository: string;
  readonly readOnly: boolean;
  readonly pull: PullRequest;
  readonly onAct: (action: PullAction) => void;
}

export function PullToolbar({ repository, readOnly, pull, onAct }: PullToolbarProps) {
  const { title, status } = pull;
  const isOpen = status === 'open';
  const nothingToMerge = useMergeRefusal(repository, pull);
  const off = readOnly ? 'this repository is read-only' : undefined;
  return (
    <div class="toolbar">
      <h2>{shownName(title)}</h2>
      <StatusBadge status={status} />
      <span class="spread group">
        <Button off={off} onClick={() => onAct('edit')}>
          Edit
        </Button>
        {isOpen && (
          <>
            <Button off={off} onClick={() => onAct('close')}>
              Close pull request
            </Button>
            <Button kind="primary" icon="merge" off={off ?? nothingToMerge} onClick={() => onAct('merge')}>
              Merge pull request
            </Button>
          </>
        )}
        {status === 'closed' && (
          <Button off={off} onClick={() => onAct('reopen')}>
            Reopen
          </Button>
        )}
      </span>
    </div>
  );
}

/** Why an open pull request cannot be merged as its branches are now. */
function useMergeRefusal(repository: string, { status, source_branch: source, destination_branch: destination }: PullRequest) {
  const differ = useBranchesDiffer(repository, destination, source, status === 'open');
  if (differ.state === 'failed') return 'a branch of it does not exist any more';
  return differ.state === 'ready' && !differ.value
    ? `${destination} already has everything of ${source}: it was merged elsewhere, or has no changes`
    : undefined;
}
