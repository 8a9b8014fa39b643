/** `auth.ui_config.rbac: static`: users from an environment variable, `name:access-key:secret:rights` each; rights are `read` or `all`. */
import { definePlugin } from '@srv/kernel';
import type { Identity, Permission, User } from '@srv/kernel';

interface Known extends User {
  readonly key: string;
  readonly secret: string;
  readonly rights: string;
}

function openStatic(list: string): Identity {
  const users = list.split(',').map((line): Known => {
    const [username = '', key = '', secret = '', rights = 'read'] = line.split(':');
    return { username, key, secret, rights, createdAt: new Date(0) };
  });
  const mayRead = (needed: Permission): boolean => {
    if ('all' in needed) return needed.all.every(mayRead);
    return 'any' in needed ? needed.any.some(mayRead) : /:(Read|List)/.test(needed.action);
  };
  return {
    rbac: 'none',
    async authenticate(given) {
      if (given.kind !== 'basic' && given.kind !== 'signature') return undefined;
      const user = users.find(({ key }) => key === given.accessKeyId);
      return user && (given.kind === 'basic' ? given.secretAccessKey === user.secret : given.check(user.secret)) ? user : undefined;
    },
    async authorize({ user, permission }) {
      const allowed = users.find(({ username }) => username === user.username)?.rights === 'all' || mayRead(permission);
      return allowed ? { allowed } : { allowed, reason: `${user.username} may only read` };
    },
    visibility: async () => () => true,
  };
}

export default definePlugin({
  name: 'static-users',
  apply: ({ hooks }) =>
    hooks.openIdentity.for('static').tapPromise('static-users', async () => openStatic(process.env['STATIC_USERS'] ?? '')),
});
