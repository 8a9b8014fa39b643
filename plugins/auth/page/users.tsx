/** Everybody who may use this server. */

import { Field, FormDialog, ask, notify, shownName, to } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { NamedList } from './named-list.js';
import { ownId } from './shapes.js';
import type { User } from './shapes.js';

export function Users() {
  return (
    <NamedList<User>
      title="Users"
      noun="user"
      many="users"
      icon="user"
      operationId="listUsers"
      nameOf={({ id, email, friendly_name: name }) => email || name || id}
      hrefOf={({ id }) => to('auth', 'users', id)}
      note={({ id }) => (id === ownId() ? 'you' : undefined)}
      remove={{ word: 'Delete', act: id => ask('deleteUser', { userId: id }), stays: id => (id === ownId() ? 'this is you' : undefined) }}
      create={{ text: 'Create User', dialog: (close, done) => <CreateUser onClose={close} onDone={done} /> }}
    />
  );
}

function CreateUser({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }) {
  const [id, setId] = useState('');
  const create = async (): Promise<void> => {
    await ask('createUser', { body: { id: id.trim() } });
    notify(`Created user ${shownName(id.trim())}`);
    onDone();
  };
  return (
    <FormDialog
      title="Create User"
      action="Create"
      off={id.trim() === '' ? 'give a name' : id.includes('%') && 'a name has no %'}
      onClose={onClose}
      onSubmit={create}
    >
      <Field
        label="User name"
        value={id}
        onInput={setId}
        problem={id.includes('%') ? 'A name has no %' : undefined}
        hint="The new user needs an access key next: see Credentials on its page"
        focus
      />
    </FormDialog>
  );
}
