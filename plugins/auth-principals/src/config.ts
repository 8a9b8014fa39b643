/** Keys of the external authentication service, and of the verifier that is built in. */
import { defineConfig, isHttpAddress, key, withoutPassword } from '@srv/kernel';

export default defineConfig({
  plugin: 'auth-principals',
  keys: {
    'auth.authentication_api.endpoint': key.text({
      default: '',
      defaultText: 'empty',
      meaning: 'URL of the external authentication service',
    }),
    'auth.authentication_api.external_principals_enabled': key.bool({
      default: false,
      meaning: 'Enable the external principals API (auth service and login APIs)',
    }),
    'auth.authentication_api.request_timeout': key.timer({ default: '10s', meaning: 'Longest wait for a response' }),
    'auth.aws_iam.server_ids': key.list({
      default: [],
      meaning:
        'Host names of this server that AWS IAM logins must be signed for; with them, and without `auth.authentication_api.endpoint`, this server checks such logins itself',
    }),
    'auth.aws_iam.sts_url': key.text({
      meaning: 'URL for requests to STS instead of the host they are signed for, such as a private endpoint',
    }),
  },
  check(values) {
    const urls = ['auth.authentication_api.endpoint', 'auth.aws_iam.sts_url'] as const;
    const bad = urls.filter(name => values[name] && !isHttpAddress(values[name]));
    const enabled = values['auth.authentication_api.external_principals_enabled'];
    const noVerifier = enabled && !values['auth.authentication_api.endpoint'] && values['auth.aws_iam.server_ids'].length === 0;
    return [
      ...bad.map(
        name =>
          `${name}: ${JSON.stringify(withoutPassword(values[name] ?? ''))} is not an http:// or https:// address without user and password`,
      ),
      ...(noVerifier
        ? [
            'auth.authentication_api.external_principals_enabled: nothing checks logins; set auth.authentication_api.endpoint, or auth.aws_iam.server_ids to the host names of this server',
          ]
        : []),
    ];
  },
});
