/** Reverts commits of a branch, one after another. */

import {
  Check,
  Choice,
  Field,
  FormDialog,
  call,
  counted,
  explained,
  notify,
  shortRef,
  shownName,
  useCommitMetadata,
} from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { inOrder } from '../../../src/model/in-order.js';
import type { ShownCommit } from './commit-card.js';

interface RevertDialogProps {
  readonly repository: string;
  readonly branch: string;
  /** Newest first; reverted in this order. */
  readonly commits: readonly ShownCommit[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function RevertDialog({ repository, branch, commits, onClose, onDone }: RevertDialogProps) {
  const [first] = commits;
  const single = commits.length === 1 ? first : undefined;
  const [message, setMessage] = useState(single ? `Revert "${single.message.split('\n', 1)[0] ?? ''}"` : '');
  const metadata = useCommitMetadata();
  const [allowEmpty, setAllowEmpty] = useState(false);
  const [parent, setParent] = useState('1');
  const isMerge = (commit: ShownCommit): boolean => commit.parents.length > 1;
  const [left, setLeft] = useState(commits);
  const [next] = left;
  const done = commits.length - left.length;
  const apply = async (): Promise<void> => {
    const overrides = single ? { commit_overrides: { message, metadata: metadata.take() } } : {};
    const revert = async (commit: ShownCommit): Promise<void> => {
      const parentNumber = isMerge(commit) ? Number(parent) : 0;
      const body = { ref: commit.id, parent_number: parentNumber, allow_empty: allowEmpty, ...overrides };
      await call('revertBranch', { repository, branch, body });
    };
    await inOrder(left, revert, setLeft);
    notify(`Reverted ${counted(commits.length, 'commit')} on ${shownName(branch)}`);
    onDone();
  };
  return (
    <FormDialog
      title="Revert Commits"
      action="Apply"
      onClose={done > 0 ? onDone : onClose}
      onSubmit={apply}
      describe={error => (
        <>
          {!single && next && `${shortRef(next.id)} was not reverted: `}
          {explained(error, repository)}
        </>
      )}
    >
      <p>
        New commits on <strong>{shownName(branch)}</strong> will undo these. Nothing is lost.
      </p>
      <div class="field">
        <span class="label">Commits to Revert (in order){done > 0 && `; ${counted(done, 'commit')} reverted`}</span>
        <ol class="small">
          {left.map(commit => (
            <li key={commit.id}>
              <code>{shortRef(commit.id)}</code> {commit.message.split('\n', 1)[0] || '(no message)'}
            </li>
          ))}
        </ol>
      </div>
      {single && <Field label="Commit Message" value={message} onInput={setMessage} lines={2} focus />}
      {left.some(isMerge) && (
        <Choice
          label="Keep which parent of merge commits"
          value={parent}
          onChange={setParent}
          options={[
            ['1', 'The first: the branch that was merged into'],
            ['2', 'The second: the branch that was merged'],
          ]}
        />
      )}
      {single && metadata.fields}
      <Check label="Allow empty commit" checked={allowEmpty} onChange={setAllowEmpty} />
    </FormDialog>
  );
}
