/** What is uncommitted on a branch. */

import { Button, Empty, branchResource, call, counted, shownName, useDenial, usePlace } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { ChangeTree } from './change-tree.js';
import { ResetDialog } from './reset-dialog.js';
import type { Change } from './change.js';

interface UncommittedProps {
  readonly repository: string;
  readonly branch: string;
  readonly prefix: string;
  readonly off: string | undefined;
  readonly onChanged: () => void;
}

export function Uncommitted({ repository, branch, prefix, off, onChanged }: UncommittedProps) {
  const place = usePlace();
  const [resetting, setResetting] = useState<Change>();
  const [turn, setTurn] = useState(0);
  const mayNotReset = useDenial('fs:RevertBranch', branchResource(repository, branch));
  return (
    <>
      <ChangeTree
        key={turn}
        repository={repository}
        left={`${branch}@`}
        right={branch}
        prefix={prefix}
        name={[repository, branch, 'uncommitted', turn]}
        load={(at, after, signal, delimiter) =>
          call('diffBranch', { repository, branch, prefix: at, delimiter, after, amount: 1000 }, { signal })
        }
        onPrefix={to => place.vary({ path: to })}
        title={count => `Showing ${counted(count, 'change')} for branch ${shownName(branch)}`}
        empty={
          <Empty icon="check" title="Nothing is uncommitted">
            <p>Everything on this branch is in a commit.</p>
            <Button onClick={() => place.vary({ showChanges: undefined })}>Show all objects</Button>
          </Empty>
        }
        action={change => (
          <Button
            kind="plain"
            icon="undo"
            label={`Revert ${shownName(change.path)}`}
            off={off ?? mayNotReset}
            onClick={() => setResetting(change)}
          />
        )}
      />
      {resetting !== undefined && (
        <ResetDialog
          repository={repository}
          branch={branch}
          change={resetting}
          onClose={() => setResetting(undefined)}
          onDone={() => {
            setResetting(undefined);
            setTurn(turn + 1);
            onChanged();
          }}
        />
      )}
    </>
  );
}
