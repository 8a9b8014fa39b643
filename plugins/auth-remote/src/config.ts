/** Keys of the remote authenticator. */
import { defineConfig, key, withoutPassword } from '@srv/kernel';
import { parseLdapUrl } from './ldap-url.js';

const own = 'auth.remote_authenticator.';
const isEnabled = ({ get }: { get(name: string): unknown }): boolean => get(`${own}enabled`) === true;

export default defineConfig({
  plugin: 'auth-remote',
  keys: {
    'auth.remote_authenticator.enabled': key.bool({ default: false, meaning: 'Also authenticate users through a remote authenticator' }),
    'auth.remote_authenticator.endpoint': key.text({
      required: isEnabled,
      defaultText: '(req when enabled)',
      meaning:
        'Endpoint URL: of a service over HTTP, or of an LDAP directory, such as `ldaps://ldap.example.com/ou=people,dc=example,dc=com?uid?sub?(objectClass=person)`',
    }),
    'auth.remote_authenticator.default_user_group': key.text({ default: 'Viewers', meaning: 'Group in which users are created' }),
    'auth.remote_authenticator.request_timeout': key.timer({ default: '10s', meaning: 'Request timeout' }),
    'auth.remote_authenticator.ldap.bind_dn': key.text({ meaning: 'LDAP: account that looks users up; unset: anonymous' }),
    'auth.remote_authenticator.ldap.bind_password': key.text({
      secret: true,
      meaning: 'LDAP: password of the account that looks up users',
    }),
    'auth.remote_authenticator.ldap.start_tls': key.bool({
      default: true,
      meaning: 'LDAP: encrypt connections of `ldap://`; without it passwords travel in clear text',
    }),
    'auth.remote_authenticator.ldap.ca_file': key.path({ meaning: 'LDAP: certificates to trust instead of the default ones, as PEM' }),
  },
  check(values) {
    const { [`${own}enabled` as const]: enabled, [`${own}endpoint` as const]: endpoint } = values;
    if (!enabled || !endpoint) return [];
    const problem = problemOf(endpoint);
    const { [`${own}ldap.bind_dn` as const]: dn, [`${own}ldap.bind_password` as const]: password } = values;
    return [
      ...(problem === undefined ? [] : [`auth.remote_authenticator.endpoint: ${problem}`]),
      // A name without a password is an anonymous login that looks like another.
      ...(!dn === !password ? [] : [`${own}ldap.bind_dn and ${own}ldap.bind_password belong together: set both, or neither`]),
    ];
  },
});

function problemOf(endpoint: string): string | undefined {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || !['http:', 'https:', 'ldap:', 'ldaps:'].includes(url.protocol))
    return `${JSON.stringify(withoutPassword(endpoint))} is not an address that begins with https://, http://, ldaps:// or ldap://`;
  if (url.username || url.password) return 'must not hold a password; of LDAP, set auth.remote_authenticator.ldap.bind_dn';
  if (url.protocol.startsWith('http')) return undefined;
  const parsed = parseLdapUrl(endpoint);
  return 'problem' in parsed ? parsed.problem : undefined;
}
