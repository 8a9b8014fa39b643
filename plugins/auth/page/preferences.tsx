/** Which news the owner of the installation wants, asked once. */

import { Alert, Check, Field, ask, messageOf, refreshSession } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { emailProblem } from './model/email-address.js';

const fields = [
  ['firstName', 'First name'],
  ['lastName', 'Last name'],
  ['companyName', 'Company'],
] as const;

export function Preferences() {
  const [email, setEmail] = useState('');
  const [others, setOthers] = useState<Readonly<Record<string, string>>>({});
  const [featureUpdates, setFeatureUpdates] = useState(false);
  const [state, setState] = useState<{ busy: boolean; problem?: string; error?: string }>({ busy: false });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (state.busy) return;
    const problem = emailProblem(email);
    if (problem !== undefined) return setState({ busy: false, problem });
    setState({ busy: true });
    try {
      await ask('setupCommPrefs', { body: { email: email.trim(), ...others, featureUpdates, securityUpdates: false } });
      await refreshSession();
    } catch (error) {
      setState({ busy: false, error: messageOf(error) });
    }
  };
  return (
    <form class="form" onSubmit={submit} noValidate>
      <h2>News about this software</h2>
      <p class="muted">An address is kept with this installation, for those who operate it. Nothing depends on it.</p>
      {state.error !== undefined && <Alert>{state.error}</Alert>}
      <Field label="E-mail (required)" value={email} onInput={setEmail} problem={state.problem} />
      {fields.map(([name, label]) => (
        <Field key={name} label={label} value={others[name] ?? ''} onInput={value => setOthers({ ...others, [name]: value })} />
      ))}
      <Check label="Tell me about new features" checked={featureUpdates} onChange={setFeatureUpdates} />
      <button type="submit" class="button" aria-disabled={state.busy || undefined}>
        {state.busy && <span class="spin" />}
        Save
      </button>
    </form>
  );
}
