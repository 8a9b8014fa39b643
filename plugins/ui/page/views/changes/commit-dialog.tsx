/** Commits what is uncommitted on a branch. What was typed stays when the commit is refused. */

import { Field, FormDialog, call, explained, notify, shortRef, shownName, useCommitMetadata } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';

interface CommitDialogProps {
  readonly repository: string;
  readonly branch: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function CommitDialog({ repository, branch, onClose, onDone }: CommitDialogProps) {
  const [message, setMessage] = useState('');
  const metadata = useCommitMetadata();
  const commit = async (): Promise<void> => {
    const entered = metadata.take();
    const { id } = await call('commit', { repository, branch, body: { message, metadata: entered } });
    notify(`Committed ${shortRef(id)}`);
    onDone();
  };
  return (
    <FormDialog
      title={`Commit to ${shownName(branch)}`}
      action="Commit Changes"
      onClose={onClose}
      onSubmit={commit}
      describe={error => explained(error, repository)}
    >
      <Field label="Commit Message" placeholder="Commit Message" value={message} onInput={setMessage} lines={3} focus />
      {metadata.fields}
    </FormDialog>
  );
}
