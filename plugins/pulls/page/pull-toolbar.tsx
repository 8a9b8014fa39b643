/** The title of a pull request, and what can be done to it. */
import { Button, shownName } from '@srv/lib-page/page';
import { StatusBadge } from './status-badge.js';
import type { PullAction } from './pull-dialog.js';
import type { PullRequest } from './shapes.js';

interface PullToolbarProps {
  readonly pull: PullRequest;
  /** Why it cannot be changed, and why it cannot be merged. */
  readonly off: string | undefined;
  readonly mergeOff: string | undefined;
  readonly onAct: (action: PullAction) => void;
}

export function PullToolbar({ pull, off, mergeOff, onAct }: PullToolbarProps) {
  const { title, status } = pull;
  const isOpen = status === 'open';
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
            <Button kind="primary" icon="merge" off={off ?? mergeOff} onClick={() => onAct('merge')}>
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
