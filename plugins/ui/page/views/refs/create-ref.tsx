/** Makes a branch or a tag. */

import { Field, FormDialog, RefPicker, call, creationOf, notify, shownName } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';

interface CreateRefProps {
  readonly repository: string;
  readonly kind: 'branch' | 'tag';
  readonly source: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function CreateRef({ repository, kind, source, onClose, onDone }: CreateRefProps) {
  const [name, setName] = useState('');
  const [from, setFrom] = useState(source);
  const create = async (): Promise<void> => {
    const creation: Promise<unknown> =
      kind === 'branch'
        ? call('createBranch', { repository, body: { name, source: from } })
        : call('createTag', { repository, body: { id: name, ref: from } });
    await creationOf(`${kind} ${shownName(name)}`, creation);
    notify(`Created ${kind} ${shownName(name)}`);
    onDone();
  };
  return (
    <FormDialog
      title={kind === 'branch' ? 'Create Branch' : 'Create Tag'}
      action="Create"
      off={name === '' && 'give it a name'}
      onClose={onClose}
      onSubmit={create}
    >
      <Field
        label={kind === 'branch' ? 'Branch Name' : 'Tag Name'}
        placeholder={kind === 'branch' ? 'Branch Name' : 'Tag Name'}
        value={name}
        onInput={setName}
        focus
      />
      <div class="field">
        <span class="label">From</span>
        <div>
          <RefPicker repository={repository} value={from} label="" onPick={setFrom} />
        </div>
      </div>
    </FormDialog>
  );
}
