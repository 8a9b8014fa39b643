/** Drops all uncommitted changes of a branch. */
import { Confirm, call, notify, shownName } from '@srv/lib-page/page';

interface ResetDialogProps {
  readonly repository: string;
  readonly branch: string;
  /** Absent: everything. */
  readonly path?: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function ResetDialog({ repository, branch, path, onClose, onDone }: ResetDialogProps) {
  const reset = async (): Promise<void> => {
    const body =
      path === undefined
        ? { type: 'reset' as const }
        : { type: path.endsWith('/') ? ('common_prefix' as const) : ('object' as const), path };
    await call('resetBranch', { repository, branch, body });
    notify(path === undefined ? `Dropped the uncommitted changes of ${shownName(branch)}` : `Reverted ${shownName(path)}`);
    onDone();
  };
  return (
    <Confirm title="Revert uncommitted changes" action="Yes, revert" onClose={onClose} onConfirm={reset}>
      <p>
        {path === undefined ? (
          'All uncommitted changes'
        ) : (
          <>
            Uncommitted changes of <code>{shownName(path)}</code>
          </>
        )}{' '}
        on branch <strong>{shownName(branch)}</strong> will be lost. This cannot be undone.
      </p>
    </Confirm>
  );
}
