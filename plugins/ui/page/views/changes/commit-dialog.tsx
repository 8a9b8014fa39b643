/** Commits what is uncommitted on a branch. What was typed stays when the commit is refused. */
import { useState } from 'preact/hooks';
import { call } from '../../core/client.js';
import { notify } from '../../core/notices.js';
import { shortRef, shownName } from '../../../src/model/text.js';
import { FormDialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { useCommitMetadata } from '../../parts/metadata.js';
import { hookFailure } from './hook-failure.js';

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
      describe={error => hookFailure(error, repository)}
    >
      <Field label="Commit Message" placeholder="Commit Message" value={message} onInput={setMessage} lines={3} focus />
      {metadata.fields}
    </FormDialog>
  );
}
