/** Groups of users. */

import { Field, FormDialog, Refusal, ask, creationOf, messageOf, notify, shownName, to, useAsync, useDenial } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { NamedList } from './named-list.js';
import { adminMode } from './shapes.js';
import type { Group } from './shapes.js';

export function Groups() {
  const { mode } = adminMode();
  const mayNotCreate = useDenial('auth:CreateGroup');
  const mayNotDelete = useDenial('auth:DeleteGroup');
  return (
    <NamedList<Group>
      title="Groups"
      noun="group"
      many="groups"
      icon="user"
      operationId="listGroups"
      nameOf={({ id, name }) => name || id}
      hrefOf={({ id }) => to('auth', 'groups', id)}
      note={({ id, description }) => (mode === 'simplified' ? <Permission group={id} /> : description)}
      remove={{ word: 'Delete', off: mayNotDelete, act: id => ask('deleteGroup', { groupId: id }) }}
      create={{ text: 'Create Group', off: mayNotCreate, dialog: (close, done) => <CreateGroup onClose={close} onDone={done} /> }}
    />
  );
}

const permissions = ['Read', 'Write', 'Super', 'Admin'];

/** What everybody of a group may do. A group without a permission is not an error. */
export function Permission({ group }: { readonly group: string }) {
  const denied = useDenial('auth:UpdatePolicy');
  const acl = useAsync(
    async signal => {
      try {
        return ((await ask('getGroupACL', { groupId: group }, { signal })) as { permission: string }).permission;
      } catch (error) {
        if (error instanceof Refusal && error.status === 404) return '';
        throw error;
      }
    },
    [group],
  );
  if (acl.state === 'failed') return <>{messageOf(acl.error)}</>;
  if (acl.state !== 'ready') return null;
  return (
    <select
      class="small"
      aria-label={`Permission of ${shownName(group)}`}
      disabled={denied !== undefined}
      title={denied}
      value={acl.value}
      onChange={event => {
        const { value } = event.currentTarget;
        ask('setGroupACL', { groupId: group, body: { permission: value } }).then(
          () => {
            notify(`${shownName(group)}: ${value}`);
            acl.reload();
          },
          (error: unknown) => notify(messageOf(error), 'failed'),
        );
      }}
    >
      {acl.value === '' && <option value="">none</option>}
      {permissions.map(name => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

function CreateGroup({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }) {
  const [id, setId] = useState('');
  const [description, setDescription] = useState('');
  const create = async (): Promise<void> => {
    const body = { id: id.trim(), description: description || undefined };
    await creationOf(`group ${shownName(body.id)}`, ask('createGroup', { body }));
    notify(`Created group ${shownName(body.id)}`);
    onDone();
  };
  return (
    <FormDialog title="Create Group" action="Create" off={id.trim() === '' && 'give it a name'} onClose={onClose} onSubmit={create}>
      <Field label="Group name" value={id} onInput={setId} focus />
      <Field label="Description" value={description} onInput={setDescription} />
    </FormDialog>
  );
}
