/** What is done to a pull request, once it is confirmed. */

import { Field, FormDialog, ask, explained, notify, shownName } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import type { PullRequest } from './shapes.js';

export type PullAction = 'merge' | 'close' | 'reopen' | 'edit';

interface PullDialogProps {
  readonly repository: string;
  readonly pull: PullRequest;
  readonly action: PullAction;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const titles: Readonly<Record<PullAction, string>> = {
  merge: 'Merge pull request',
  close: 'Close pull request',
  reopen: 'Reopen pull request',
  edit: 'Edit pull request',
};

export function PullDialog({ repository, pull, action, onClose, onDone }: PullDialogProps) {
  const [title, setTitle] = useState(pull.title);
  const [description, setDescription] = useState(pull.description);
  const at = { repository, pull_request: pull.id };
  const submit = async (): Promise<void> => {
    if (action === 'merge') await ask('mergePullRequest', at);
    else
      await ask('updatePullRequest', {
        ...at,
        body: action === 'edit' ? { title, description } : { status: action === 'close' ? 'closed' : 'open' },
      });
    notify({ merge: 'Merged', close: 'Closed', reopen: 'Reopened', edit: 'Saved' }[action]);
    onDone();
  };
  return (
    <FormDialog
      title={titles[action]}
      action={action === 'edit' ? 'Save' : 'Yes'}
      off={action === 'edit' && title.trim() === '' && 'give it a title'}
      onClose={onClose}
      onSubmit={submit}
      describe={error => explained(error, repository)}
    >
      {action === 'edit' ? (
        <>
          <Field label="Title" value={title} onInput={setTitle} focus />
          <Field label="Description" value={description} onInput={setDescription} lines={6} hint="Markdown, without HTML" />
        </>
      ) : (
        <p>
          {action === 'merge' ? (
            <>
              Merge <strong>{shownName(pull.source_branch)}</strong> into <strong>{shownName(pull.destination_branch)}</strong>?
            </>
          ) : (
            titles[action]
          )}
        </p>
      )}
    </FormDialog>
  );
}
