/** What can be done with the uncommitted changes of a branch. */
import { Button, Wide, branchResource, useDenial } from '@srv/lib-page/page';

interface ChangeButtonsProps {
  readonly repository: string;
  readonly branch: string;
  /** Why the branch cannot be changed. */
  readonly off: string | undefined;
  readonly shown: boolean;
  readonly onShow: () => void;
  readonly onCommit: () => void;
  readonly onReset: () => void;
}

export function ChangeButtons({ repository, branch, off, shown, onShow, onCommit, onReset }: ChangeButtonsProps) {
  const resource = branchResource(repository, branch);
  const mayNotCommit = useDenial('fs:CreateCommit', resource);
  const mayNotReset = useDenial('fs:RevertBranch', resource);
  return (
    <>
      <Button pressed={shown} onClick={onShow}>
        <Wide>Uncommitted </Wide>Changes
      </Button>
      <Button kind="primary" off={off ?? mayNotCommit} onClick={onCommit}>
        Commit<Wide> Changes</Wide>
      </Button>
      <Button icon="undo" kind="plain" compact off={off ?? mayNotReset} onClick={onReset}>
        Revert
      </Button>
    </>
  );
}
