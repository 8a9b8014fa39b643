import { spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { defineCommand } from '@srv/lib-commands';
import { apiUrl, storedSession, tokenOf } from '../stored-session.js';
import type { CommandContext } from '@srv/lib-commands';

/** Milliseconds between two checks of the mailbox. */
const pollInterval = 1000;
/** Milliseconds that the server keeps a login open. */
const patience = 600_000;

export const login = defineCommand({
  name: 'login',
  localEffects: true,
  summary: 'Log in with a browser',
  description: `Opens the login page of the server in a browser and keeps a session, so that no access key needs to be stored. Every way to log
in there works: with a password, by single sign-on, by LDAP. The session is renewed while it is used; an access key of the
configuration takes precedence.`,
  examples: ['cli login', 'cli login --no-browser'],
  options: [{ name: 'no-browser', type: 'bool', default: false, description: 'only show the address, for a browser on another machine' }],
  async run(context, { options }) {
    const { settings, signal, tell, warn } = context;
    const endpoint = settings.values['server.endpoint_url'];
    const { page, mailbox } = await begin(endpoint, signal);
    tell(`Open this address and check that it shows the code ${page.searchParams.get('request')?.slice(-8)}:\n${page.href}`);
    if (options['no-browser'] !== true) openBrowser(page.href, context);
    const token = await waitFor(endpoint, mailbox, signal);
    await storedSession(endpoint).store(token);
    if (settings.values['credentials.access_key_id'])
      warn(`credentials.access_key_id is set in ${settings.sourceOf('credentials.access_key_id')} and is used instead of the session`);
    return { server: new URL(endpoint).origin, expires: new Date(token.expiresAt * 1000).toISOString() };
  },
  render: ({ server, expires }) => `Logged in at ${server} until ${expires}`,
});

/** @throws Error that says what the server answered. */
async function begin(endpoint: string, signal: AbortSignal): Promise<{ readonly page: URL; readonly mailbox: string }> {
  const response = await fetch(apiUrl(endpoint, '/auth/get-token/start'), { redirect: 'manual', signal });
  await response.body?.cancel();
  const [location, mailbox] = [response.headers.get('location'), response.headers.get('x-lakefs-mailbox')];
  if (response.status !== 303 || location === null || mailbox === null)
    throw new Error(`${new URL(endpoint).origin} offers no login with a browser (status ${response.status}): use "cli config"`);
  const page = new URL(location, endpoint);
  if (!/^https?:$/.test(page.protocol)) throw new Error(`${location} is not the address of a web page`);
  return { page, mailbox };
}

/** A server that cannot be reached for a while does not end the login: the person is at its page. */
async function waitFor(endpoint: string, mailbox: string, signal: AbortSignal) {
  const url = apiUrl(endpoint, `/auth/get-token/mailboxes/${encodeURIComponent(mailbox)}`);
  let failure: unknown;
  for (const end = Date.now() + patience; Date.now() < end; await setTimeout(pollInterval, undefined, { signal })) {
    const response = await fetch(url, { redirect: 'manual', signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      failure = error;
    });
    if (!response) continue;
    failure = undefined;
    const body: unknown = await response.json().catch(() => ({}));
    const token = response.ok ? tokenOf(body) : undefined;
    if (token) return token;
    if (response.status !== 404 && response.status !== 429 && response.status < 500)
      throw new Error(`login at ${url.origin}: status ${response.status}`);
  }
  const reason = failure === undefined ? 'the login was not allowed within ten minutes' : `no response from ${url.origin}`;
  throw new Error(`${reason}: run "cli login" again`, { cause: failure });
}

/** Best effort: the address is on the screen. */
function openBrowser(url: string, { env }: CommandContext): void {
  const [program, ...args] =
    process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
  if (program === undefined) return;
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true, env: { ...env } });
  child.on('error', () => {});
  child.unref();
}
