/** Drops uncommitted changes: all of a branch, those below a folder, or that of an object. */
import { Confirm, call, notify, shownName } from '@srv/lib-page/page';
import type { Change } from './change.js';

interface ResetDialogProps {
  readonly repository: string;
  readonly branch: string;
  /** Absent: everything. */
  readonly change?: Pick<Change, 'path' | 'path_type'>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function ResetDialog({ repository, branch, change, onClose, onDone }: ResetDialogProps) {
  const reset = async (): Promise<void> => {
    const body = change ? { type: change.path_type, path: change.path } : { type: 'reset' as const };
    await call('resetBranch', { repository, branch, body });
    notify(change ? `Reverted ${shownName(change.path)}` : `Dropped the uncommitted changes of ${shownName(branch)}`);
    onDone();
  };
  return (
    <Confirm title="Revert uncommitted changes" action="Yes, revert" onClose={onClose} onConfirm={reset}>
      <p>
        {change ? (
          <>
            Uncommitted changes {change.path_type === 'common_prefix' ? 'of all objects below' : 'of the object'}{' '}
            <code>{shownName(change.path)}</code>
          </>
        ) : (
          'All uncommitted changes'
        )}{' '}
        on branch <strong>{shownName(branch)}</strong> will be lost. This cannot be undone.
      </p>
    </Confirm>
  );
}
