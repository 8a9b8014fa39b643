/** The login form. The session is a cookie that scripts cannot read; it is not kept here. */

import { Alert, CenteredCard, Field, Refusal, ask, messageOf, refreshSession, root, session, to, usePlace } from '@srv/lib-page/page';
import { useEffect, useState } from 'preact/hooks';
import { useCapabilities } from './mail.js';

/** Keeps only the path, on this server. */
function nextAfterLogin(next: string | undefined): string {
  const start = to('repositories');
  if (next === undefined || next === '') return start;
  const url = URL.canParse(next, document.baseURI) ? new URL(next, document.baseURI) : undefined;
  if (!url?.pathname.startsWith(root)) return start;
  const below = url.pathname.slice(root.length);
  return below === '' || /^(?:auth\/login|login|logout)\b/.test(below) ? start : below + url.search + url.hash;
}

export default function Login() {
  const place = usePlace();
  const { value } = session;
  const config = value.state === 'out' ? value.setup.login_config : undefined;
  const { forgot_password: resets = false } = useCapabilities();
  const labels = {
    user: config?.username_ui_placeholder ?? (resets ? 'E-mail or access key ID' : 'Access Key ID'),
    secret: config?.password_ui_placeholder ?? (resets ? 'Password or secret' : 'Secret Access Key'),
  };
  const [user, setUser] = useState('');
  const [secret, setSecret] = useState('');
  const [state, setState] = useState<{ busy: boolean; problem?: string }>({ busy: false });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (state.busy) return;
    setState({ busy: true });
    try {
      await ask('login', { body: { access_key_id: user.trim(), secret_access_key: secret } });
      await refreshSession();
    } catch (error) {
      const refused = error instanceof Refusal && error.status === 401;
      setState({ busy: false, problem: refused ? (config?.login_failed_message ?? "The credentials don't match.") : messageOf(error) });
    }
  };
  useEffect(() => {
    if (value.state === 'in') place.go(nextAfterLogin(place.query['next']), { replace: true });
  }, [value.state]);
  const fallback = httpUrl(config?.fallback_login_url, config?.login_url === config?.fallback_login_url ? place.query['next'] : undefined);
  return (
    <CenteredCard>
      <form class="card-body form" onSubmit={submit}>
        <h1>Log in</h1>
        {config?.notice !== undefined && <Alert kind="note">Users who log in may do nothing yet: {config.notice}</Alert>}
        {state.problem !== undefined && <Alert>{state.problem}</Alert>}
        <Field label={labels.user} placeholder={labels.user} name="username" value={user} onInput={setUser} focus />
        <Field label={labels.secret} placeholder={labels.secret} name="password" type="password" value={secret} onInput={setSecret} />
        <button type="submit" class="button primary" aria-disabled={state.busy || undefined}>
          {state.busy && <span class="spin" />}
          Login
        </button>
        {/* The router of the page leaves links with a target to the browser: these may be paths of the server. */}
        {resets && (
          <a href={to('auth', 'forgotpassword')} target="_top">
            Forgot your password?
          </a>
        )}
        {fallback !== undefined && (
          <a href={fallback} rel="noopener" target="_top">
            {config?.fallback_login_label || 'Log in another way'}
          </a>
        )}
      </form>
    </CenteredCard>
  );
}

/** @param next where our own login leads. */
function httpUrl(given: string | undefined, next: string | undefined): string | undefined {
  if (!given || !URL.canParse(given, document.baseURI)) return undefined;
  const url = new URL(given, document.baseURI);
  if (next !== undefined) url.searchParams.set('next', next);
  return /^https?:$/.test(url.protocol) ? url.href : undefined;
}
