/** One policy. */

import { Button, FormDialog, With, ask, notify, shownName, to, useAsync, useDenial } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { problemOfStatements } from './model/policy.js';
import { policyResource } from './model/resource.js';
import { StatementsField } from './statements-field.js';
import type { Policy } from './shapes.js';

export function PolicyPage({ id }: { readonly id: string }) {
  const policy = useAsync(async signal => (await ask('getPolicy', { policyId: id }, { signal })) as Policy, [id]);
  const [editing, setEditing] = useState(false);
  const denied = useDenial('auth:UpdatePolicy', policyResource(id));
  return (
    <>
      <div class="toolbar">
        <p>
          <a href={to('auth', 'policies')}>Policies</a> / <strong>{shownName(id)}</strong>
        </p>
        <span class="spread">
          <Button off={denied ?? (policy.state !== 'ready' && 'the policy is not loaded')} onClick={() => setEditing(true)}>
            Edit
          </Button>
        </span>
      </div>
      <With answer={policy}>
        {({ statement }) => (
          <>
            <div class="card scroll" tabIndex={0} role="region" aria-label="Statements">
              <table class="grid-table statements">
                <thead>
                  <tr>
                    <th scope="col">Effect</th>
                    <th scope="col">Actions</th>
                    <th scope="col">Resource</th>
                    <th scope="col">Condition</th>
                  </tr>
                </thead>
                <tbody>
                  {statement.map(({ effect, action, resource, condition }, i) => (
                    <tr key={i}>
                      <td>
                        <span class={`badge ${effect === 'allow' ? 'added' : 'removed'}`}>{effect}</span>
                      </td>
                      <td>{action.map(shownName).join(', ')}</td>
                      <td>
                        <code>{shownName(resource)}</code>
                      </td>
                      <td>{condition === undefined ? '' : <code>{JSON.stringify(condition)}</code>}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            {editing && (
              <Edit
                id={id}
                statement={statement}
                onClose={() => setEditing(false)}
                onDone={() => {
                  setEditing(false);
                  policy.reload();
                }}
              />
            )}
          </>
        )}
      </With>
    </>
  );
}

interface EditProps extends Pick<Policy, 'id' | 'statement'> {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Edit({ id, statement, onClose, onDone }: EditProps) {
  const [text, setText] = useState(JSON.stringify(statement, null, 2));
  const save = async (): Promise<void> => {
    await ask('updatePolicy', { policyId: id, body: { id, statement: JSON.parse(text) as unknown } });
    notify('Saved the policy');
    onDone();
  };
  return (
    <FormDialog wide title={`Edit ${shownName(id)}`} action="Save" off={problemOfStatements(text)} onClose={onClose} onSubmit={save}>
      <StatementsField text={text} onInput={setText} />
    </FormDialog>
  );
}
