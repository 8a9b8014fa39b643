/** Everybody who may use this server. */

import { Check, Field, FormDialog, ask, creationOf, notify, shownName, to, useDenial } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { useCapabilities } from './mail.js';
import { emailProblem } from './model/email-address.js';
import { NamedList } from './named-list.js';
import { ownId } from './shapes.js';
import type { User } from './shapes.js';

export function Users() {
  const mayNotCreate = useDenial('auth:CreateUser');
  const mayNotDelete = useDenial('auth:DeleteUser');
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
      remove={{
        word: 'Delete',
        off: mayNotDelete,
        act: id => ask('deleteUser', { userId: id }),
        stays: id => (id === ownId() ? 'this is you' : undefined),
      }}
      create={{ text: 'Create User', off: mayNotCreate, dialog: (close, done) => <CreateUser onClose={close} onDone={done} /> }}
    />
  );
}

function CreateUser({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }) {
  const { invite_user: canInvite = false } = useCapabilities();
  const [id, setId] = useState('');
  const [invites, setInvites] = useState(false);
  const name = id.trim();
  const create = async (): Promise<void> => {
    await creationOf(`user ${shownName(name)}`, ask('createUser', { body: { id: name, ...(invites ? { invite_user: true } : {}) } }));
    notify(invites ? `Sent an invitation to ${name}` : `Created user ${shownName(name)}`);
    onDone();
  };
  const unsaid = invites ? 'give an e-mail address' : 'give a name';
  const problem = name === '' ? undefined : id.includes('%') ? 'A name has no %' : invites ? emailProblem(name) : undefined;
  return (
    <FormDialog
      title="Create User"
      action={invites ? 'Invite' : 'Create'}
      off={name === '' ? unsaid : problem}
      onClose={onClose}
      onSubmit={create}
    >
      <Field
        label={invites ? 'E-mail address' : 'User name'}
        value={id}
        onInput={setId}
        problem={problem}
        hint={
          invites
            ? 'A message with a link to choose a password is sent there. The address in lower case is the name'
            : 'The new user needs an access key next: see Credentials on its page'
        }
        focus
      />
      {canInvite && <Check label="Invite by e-mail" checked={invites} onChange={setInvites} />}
    </FormDialog>
  );
}
