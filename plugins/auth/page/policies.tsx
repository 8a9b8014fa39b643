/** Policies: who may what. */

import { Field, FormDialog, ask, counted, creationOf, notify, shownName, to, useDenial } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { problemOfStatements } from './model/policy.js';
import { NamedList } from './named-list.js';
import { PermissionTrial } from './permission-trial.js';
import { StatementsField } from './statements-field.js';
import type { Policy } from './shapes.js';

export function Policies() {
  const mayNotCreate = useDenial('auth:CreatePolicy');
  const mayNotDelete = useDenial('auth:DeletePolicy');
  return (
    <>
      <NamedList<Policy>
        title="Policies"
        noun="policy"
        many="policies"
        icon="lock"
        operationId="listPolicies"
        hrefOf={({ id }) => to('auth', 'policies', id)}
        note={({ statement }) => counted(statement.length, 'statement')}
        remove={{ word: 'Delete', off: mayNotDelete, act: id => ask('deletePolicy', { policyId: id }) }}
        create={{ text: 'Create Policy', off: mayNotCreate, dialog: (close, done) => <CreatePolicy onClose={close} onDone={done} /> }}
      />
      <PermissionTrial />
    </>
  );
}

const start = JSON.stringify(
  [{ effect: 'allow', action: ['fs:ReadObject', 'fs:ListObjects'], resource: 'arn:lakefs:fs:::repository/example/object/*' }],
  null,
  2,
);

function CreatePolicy({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }) {
  const [id, setId] = useState('');
  const [text, setText] = useState(start);
  const create = async (): Promise<void> => {
    const body = { id: id.trim(), statement: JSON.parse(text) as unknown };
    await creationOf(`policy ${shownName(body.id)}`, ask('createPolicy', { body }));
    notify(`Created policy ${shownName(body.id)}`);
    onDone();
  };
  return (
    <FormDialog
      wide
      title="Create Policy"
      action="Create"
      off={id.trim() === '' ? 'give it a name' : problemOfStatements(text)}
      onClose={onClose}
      onSubmit={create}
    >
      <Field label="Policy name" value={id} onInput={setId} focus />
      <StatementsField text={text} onInput={setText} />
    </FormDialog>
  );
}
