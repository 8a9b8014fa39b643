/** The statements of a policy as JSON, checked while one types, with the actions there are. */

import { Button, Field } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { actionsLike, knownActions, problemOfStatements, unknownActions } from './model/policy.js';

const mostShown = 12;

export function StatementsField({ text, onInput }: { readonly text: string; readonly onInput: (text: string) => void }) {
  const [wanted, setWanted] = useState('');
  const problem = problemOfStatements(text);
  const unknown = problem === undefined ? unknownActions(text) : [];
  const add = (action: string): void => {
    if (problem !== undefined) return;
    const statements = JSON.parse(text) as { action: string[] }[];
    statements.at(-1)?.action.push(action);
    onInput(JSON.stringify(statements, null, 2));
  };
  return (
    <>
      <Field
        label="Statements"
        value={text}
        onInput={onInput}
        lines={12}
        code
        problem={problem}
        hint={unknown.length > 0 ? `No action is called ${unknown.join(', ')}` : 'A list of { effect, action, resource }'}
      />
      <div class="field">
        <Field
          label="Add an action to the last statement"
          value={wanted}
          onInput={setWanted}
          placeholder="ReadObject"
          hint={`${knownActions.length} actions; * and ? stand for any text and any character`}
        />
        <div class="group">
          {wanted !== '' &&
            actionsLike(wanted)
              .slice(0, mostShown)
              .map(action => (
                <Button
                  key={action}
                  icon="plus"
                  off={problem !== undefined && 'the statements have to be right first'}
                  onClick={() => add(action)}
                >
                  {action}
                </Button>
              ))}
        </div>
      </div>
    </>
  );
}
