/** Whether a user may do something, and which statement decides. */
import { Alert, Button, Field, ask, messageOf, shownName, to, useDenial } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { actionsLike } from './model/policy.js';
import { userResource } from './model/resource.js';

interface Explained {
  readonly policy: string;
  readonly statement: { readonly effect: string; readonly action: readonly string[]; readonly resource: string };
}

interface Explanation {
  readonly allowed: boolean;
  readonly decides?: Explained;
  readonly nearly: readonly (Explained & { readonly because: 'resource' | 'condition' })[];
}

type Outcome = { readonly asked: string; readonly explanation: Explanation } | { readonly problem: string };

/** @param user absent: any can be named. */
export function PermissionTrial({ user }: { readonly user?: string }) {
  const denied = useDenial('auth:ReadUser', user === undefined ? undefined : userResource(user));
  const [name, setName] = useState(user ?? '');
  const [action, setAction] = useState('');
  const [resource, setResource] = useState('');
  const [outcome, setOutcome] = useState<Outcome>();
  const tryIt = async (event: Event): Promise<void> => {
    event.preventDefault();
    const [userId, what, where] = [name.trim(), action.trim(), resource.trim()];
    try {
      const explanation = (await ask('explainPermission', { userId, action: what, resource: where })) as Explanation;
      setOutcome({ asked: `${shownName(userId)} ${explanation.allowed ? 'may' : 'may not'} ${what} on ${shownName(where)}`, explanation });
    } catch (error) {
      setOutcome({ problem: messageOf(error) });
    }
  };
  const off =
    denied ||
    (name.trim() === '' && 'name a user') ||
    (action.trim() === '' && 'name an action') ||
    (resource.trim() === '' && 'name a resource');
  return (
    <section class="card gap" aria-label="May a user do something?">
      <form class="card-body form narrow" onSubmit={event => void tryIt(event)}>
        <h2>May {user === undefined ? 'a user' : shownName(user)} do something?</h2>
        {user === undefined && <Field label="User" value={name} onInput={setName} />}
        <Field
          label="Action to try"
          value={action}
          onInput={setAction}
          placeholder="fs:ReadObject"
          hint={action === '' ? undefined : actionsLike(action).slice(0, 5).join(', ')}
        />
        <Field
          label="Resource to try"
          value={resource}
          onInput={setResource}
          placeholder="arn:lakefs:fs:::repository/example/object/a.csv"
        />
        <div>
          <Button type="submit" off={off}>
            Try
          </Button>
        </div>
        {outcome && ('problem' in outcome ? <Alert>{outcome.problem}</Alert> : <Result {...outcome} />)}
      </form>
    </section>
  );
}

function Result({ asked, explanation: { allowed, decides, nearly } }: Extract<Outcome, { readonly asked: string }>) {
  return (
    <div role="status" class="form">
      <p>
        <span class={`badge ${allowed ? 'added' : 'removed'}`}>{allowed ? 'yes' : 'no'}</span> {asked}
      </p>
      {decides ? (
        <p>
          <StatementOf {...decides} /> decides.
        </p>
      ) : (
        <p class="muted">No statement of the user's policies allows it.</p>
      )}
      {nearly.length > 0 && (
        <ul>
          {nearly.map(({ because, ...one }, i) => (
            <li key={i}>
              <StatementOf {...one} /> is about the action, but{' '}
              {because === 'resource' ? 'not about this resource' : 'its condition does not hold'}.
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function StatementOf({ policy, statement: { effect, action, resource } }: Explained) {
  return (
    <>
      <a href={to('auth', 'policies', policy)}>{shownName(policy)}</a> (<code>{`${effect} ${action.join(', ')} on ${resource}`}</code>)
    </>
  );
}
