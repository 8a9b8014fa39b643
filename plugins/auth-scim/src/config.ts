/** Keys of provisioning. Off by default: the holder of the token manages every user. */
import { defineConfig, key } from '@srv/kernel';

const shortest = 16;

export default defineConfig({
  plugin: 'auth-scim',
  keys: {
    'auth.scim.token': key.text({
      secret: true,
      meaning: 'Bearer token of the identity provider that manages users and groups; unset: no provisioning',
    }),
    'auth.scim.path': key.text({ default: '/scim/v2', meaning: 'Path of the SCIM endpoint, which is entered at the identity provider' }),
  },
  check: ({ 'auth.scim.path': path, 'auth.scim.token': token }) => [
    ...(/^(\/[A-Za-z0-9._~-]+)+$/.test(path) && !path.startsWith('/api/')
      ? []
      : [`auth.scim.path: ${JSON.stringify(path)} must be a path such as /scim/v2, outside of /api`]),
    ...(token && (token.length < shortest || !/^[!-~]+$/.test(token))
      ? [`auth.scim.token: must be at least ${shortest} printable characters without spaces, since it manages every user`]
      : []),
  ],
});
