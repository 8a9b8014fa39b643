/** Commits what is uncommitted on a branch. What was typed stays when the commit is refused. */
import { useState } from 'preact/hooks';
import { call } from '../../core/client.js';
import { notify } from '../../core/notices.js';
import { metadataOf, problemsOf } from '../../../src/model/metadata-rows.js';
import { shortRef, shownName } from '../../../src/model/text.js';
import { FormDialog } from '../../parts/dialog.js';
import { Field, MetadataFields } from '../../parts/field.js';
import { hookFailure } from './hook-failure.js';
import type { MetadataRow } from '../../../src/model/metadata-rows.js';

interface CommitDialogProps {
  readonly repository: string;
  readonly branch: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function CommitDialog({ repository, branch, onClose, onDone }: CommitDialogProps) {
  const [message, setMessage] = useState('');
  const [rows, setRows] = useState<readonly MetadataRow[]>([]);
  const [tried, setTried] = useState(false);
  const commit = async (): Promise<void> => {
    setTried(true);
    const problem = problemsOf(rows).find(found => found !== undefined);
    if (problem !== undefined) throw new Error(problem);
    const { id } = await call('commit', { repository, branch, body: { message, metadata: metadataOf(rows) } });
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
      <MetadataFields rows={rows} onChange={setRows} tried={tried} />
    </FormDialog>
  );
}
