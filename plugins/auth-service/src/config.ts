/** Keys of the service. Off by default, because it returns the secrets of access keys. */
import { defineConfig, key } from '@srv/kernel';

/** Characters of the token, which opens every access key of the directory. */
const shortest = 16;

export default defineConfig({
  plugin: 'auth-service',
  keys: {
    'auth.service.enabled': key.bool({
      default: false,
      meaning: 'Offer users, groups, policies and access keys of this server to other servers, as their external authorization service',
    }),
    'auth.service.path': key.text({
      default: '/authorization/v1',
      meaning: 'Path of the service; `auth.api.endpoint` of its clients ends with it',
    }),
    'auth.service.token': key.text({
      secret: true,
      meaning: 'Token of its clients (their `auth.api.token`); unset: they sign one with the same `auth.encrypt.secret_key`',
    }),
  },
  check: ({ 'auth.service.path': path, 'auth.service.token': token }) => [
    ...(/^(\/[A-Za-z0-9._~-]+)+$/.test(path) && !path.startsWith('/api/')
      ? []
      : [`auth.service.path: ${JSON.stringify(path)} must be a path such as /authorization/v1, outside of /api`]),
    ...(token && (token.length < shortest || !/^[!-~]+$/.test(token))
      ? [`auth.service.token: must be at least ${shortest} printable characters without spaces, since it opens every access key`]
      : []),
  ],
});
