/** Applies the changes of a commit to another branch. */

import { Choice, FormDialog, RefPicker, call, commitOf, notify, shortRef, shownName, usePlace } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import type { ShownCommit } from './commit-card.js';

interface CherryPickProps {
  readonly repository: string;
  readonly commit: ShownCommit;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function CherryPick({ repository, commit, onClose, onDone }: CherryPickProps) {
  const place = usePlace();
  const [branch, setBranch] = useState('');
  const [parent, setParent] = useState('1');
  const isMerge = commit.parents.length > 1;
  const pick = async (): Promise<void> => {
    const made = await call('cherryPick', {
      repository,
      branch,
      body: { ref: commit.id, ...(isMerge ? { parent_number: Number(parent) } : {}) },
    });
    notify(`Cherry-picked onto ${shownName(branch)}`);
    onDone();
    place.go(commitOf(repository, made.id));
  };
  return (
    <FormDialog
      title={`Cherry-pick ${shortRef(commit.id)}`}
      action="Cherry-pick"
      off={branch === '' && 'choose a branch'}
      onClose={onClose}
      onSubmit={pick}
    >
      <p>Its changes become a new commit on the branch.</p>
      <div>
        <RefPicker repository={repository} value={branch} label="Onto branch: " kinds={['Branches']} onPick={setBranch} />
      </div>
      {isMerge && (
        <Choice
          label="Changes against"
          value={parent}
          onChange={setParent}
          options={[
            ['1', 'its first parent'],
            ['2', 'its second parent'],
          ]}
        />
      )}
    </FormDialog>
  );
}
