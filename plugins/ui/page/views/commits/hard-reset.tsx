/** Moves a branch to another commit. */
import { Confirm, call, notify, shortRef, shownName } from '@srv/lib-page/page';

interface HardResetProps {
  readonly repository: string;
  readonly branch: string;
  readonly commit: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function HardReset({ repository, branch, commit, onClose, onDone }: HardResetProps) {
  const reset = async (): Promise<void> => {
    await call('hardResetBranch', { repository, branch, ref: commit });
    notify(`${shownName(branch)} is at ${shortRef(commit)} now`);
    onDone();
  };
  return (
    <Confirm title={`Reset ${shownName(branch)}`} action="Yes, reset the branch" onClose={onClose} onConfirm={reset}>
      <p>
        The branch <strong>{shownName(branch)}</strong> will point at <code>{shortRef(commit)}</code>. Later commits stay in the repository,
        but no longer on this branch; remember their ids, or tag them first.
      </p>
    </Confirm>
  );
}
