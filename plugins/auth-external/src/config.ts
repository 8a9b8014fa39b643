/** Keys of the external authorization service. */
import { defineConfig, isHttpAddress, key, withoutPassword } from '@srv/kernel';

const isExternal = ({ get }: { get(name: string): unknown }): boolean => String(get('auth.ui_config.rbac')).toLowerCase() === 'external';

export default defineConfig({
  plugin: 'auth-external',
  keys: {
    'auth.api.endpoint': key.text({
      required: isExternal,
      defaultText: '-',
      meaning:
        'URL of the external authorization service, such as `http://host:8001/api/v1`; used when `auth.ui_config.rbac` is `external`',
    }),
    'auth.api.token': key.text({
      secret: true,
      meaning: 'Token authenticating requests to that service; unset: one signed with `auth.encrypt.secret_key`',
    }),
    'auth.api.health_check_timeout': key.timer({ default: '20s', meaning: 'Timeout of its health check' }),
    'auth.api.skip_health_check': key.bool({ default: false, meaning: 'Skip its health check' }),
    'auth.api.supports_invites': key.bool({ default: false, meaning: 'The service sends invitations to new users' }),
    'auth.api.request_timeout': key.timer({ default: '30s', meaning: 'Longest wait for a response of the service' }),
  },
  check({ 'auth.api.endpoint': endpoint, 'auth.api.token': token }) {
    if (token && !/^[!-~]+$/.test(token)) return ['auth.api.token: must be printable characters without spaces'];
    if (!endpoint) return [];
    if (isHttpAddress(endpoint)) return [];
    return [
      `auth.api.endpoint: ${JSON.stringify(withoutPassword(endpoint))} is not an http:// or https:// address without user and password; set auth.api.token`,
    ];
  },
});
