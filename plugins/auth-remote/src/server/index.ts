/** The plugin: a further way to sign in. */
import { readFileSync } from 'node:fs';
import { SrvError, definePlugin, messageOf } from '@srv/kernel';
import section from '../config.js';
import { parseLdapUrl } from '../ldap-url.js';
import { HttpAuthenticator } from './http-authenticator.js';
import { RemoteSignIn } from './remote-sign-in.js';
import type {} from '@srv/auth/contract';
import type { PluginKernel } from '@srv/kernel';
import type { Authenticator } from './authenticator.js';

export default definePlugin({
  name: 'auth-remote',
  apply(kernel) {
    const { hooks, services, log } = kernel;
    let signIn: RemoteSignIn | undefined;
    hooks.signIn.tap('auth-remote', add => {
      if (signIn) add(signIn);
    });
    hooks.start.tapPromise('auth-remote', async () => {
      const config = valuesOf(kernel);
      if (!config['auth.remote_authenticator.enabled']) return;
      const defaultGroup = config['auth.remote_authenticator.default_user_group'];
      const [auth, accounts, kv] = [services.get('auth'), services.get('accounts'), services.get('kv')];
      signIn = new RemoteSignIn({ authenticator: await openAuthenticator(config), auth, accounts, kv, defaultGroup, log });
    });
  },
});

type Values = ReturnType<typeof valuesOf>;
const valuesOf = (kernel: PluginKernel) => kernel.config.values(section.keys);

async function openAuthenticator(config: Values): Promise<Authenticator> {
  const endpoint = config['auth.remote_authenticator.endpoint'] ?? '';
  const timeout = config['auth.remote_authenticator.request_timeout'];
  if (/^https?:/i.test(endpoint)) return new HttpAuthenticator(endpoint, timeout);
  const place = parseLdapUrl(endpoint);
  if ('problem' in place) throw new SrvError('config', `auth.remote_authenticator.endpoint: ${place.problem}`);
  const { 'auth.remote_authenticator.ldap.bind_dn': dn, 'auth.remote_authenticator.ldap.bind_password': password } = config;
  const { LdapAuthenticator } = await import('./ldap-authenticator.js');
  return new LdapAuthenticator({
    ...place,
    timeout,
    reader: dn && password ? { dn, password } : undefined,
    startTls: config['auth.remote_authenticator.ldap.start_tls'],
    ca: certificatesIn(config['auth.remote_authenticator.ldap.ca_file']),
  });
}

function certificatesIn(file: string | undefined): string | undefined {
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new SrvError('config', `auth.remote_authenticator.ldap.ca_file: cannot read ${file}: ${messageOf(error)}`, { cause: error });
  }
}
