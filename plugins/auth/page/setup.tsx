/** The first run: the first administrator, and its key, shown once. */

import { Alert, CenteredCard, Field, ask, messageOf, offers, session, to, usePlace } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { NewKey } from './new-key.js';
import { Preferences } from './preferences.js';
import type { AccessKey } from './new-key.js';

export default function Setup() {
  const place = usePlace();
  const { value } = session;
  const [name, setName] = useState('admin');
  const [state, setState] = useState<{ busy: boolean; problem?: string; key?: AccessKey }>({ busy: false });
  const isNew = value.state === 'out' && value.setup.state === 'not_initialized';
  const asksForNews =
    (value.state === 'out' || value.state === 'in') && value.setup.comm_prefs_missing === true && offers('setupCommPrefs');
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (state.busy) return;
    if (name.trim() === '') return setState({ busy: false, problem: 'Please enter a user name for the administrator' });
    setState({ busy: true });
    try {
      setState({ busy: false, key: (await ask('setup', { body: { username: name.trim() } })) as AccessKey });
    } catch (error) {
      setState({ busy: false, problem: messageOf(error) });
    }
  };
  if (state.key) return <Made made={state.key} />;
  return (
    <CenteredCard>
      {isNew ? (
        <form class="card-body form" onSubmit={submit}>
          <h1>Set up this server</h1>
          <p class="muted">This makes the first administrator and its access key.</p>
          {state.problem !== undefined && <Alert>{state.problem}</Alert>}
          <Field label="Admin Username" placeholder="Admin Username" value={name} onInput={setName} focus />
          <button type="submit" class="button primary" aria-disabled={state.busy || undefined}>
            {state.busy && <span class="spin" />}
            Setup
          </button>
        </form>
      ) : (
        <div class="card-body form">
          <h1>Setup is already complete</h1>
          <a
            class="button primary"
            href={to('repositories')}
            onClick={event => {
              event.preventDefault();
              place.go(to('repositories'));
            }}
          >
            Go to the repositories
          </a>
          {asksForNews && <Preferences />}
        </div>
      )}
    </CenteredCard>
  );
}

function Made({ made }: { readonly made: AccessKey }) {
  return (
    <main class="lone" id="content">
      <div class="card wide">
        <div class="card-body form">
          <h1>You're all set!</h1>
          <p>This is the access key of the administrator. The secret is shown only now.</p>
          <NewKey made={made}>
            <a class="button primary" href={to('auth', 'login')} target="_blank" rel="noopener">
              Go To Login
            </a>
          </NewKey>
        </div>
      </div>
    </main>
  );
}
