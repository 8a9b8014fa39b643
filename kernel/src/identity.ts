/** The identity service that faces see: taps of `authenticate` are called before the service that was opened. */
import { SrvError } from './errors.js';
import type { Credentials, Identity, User } from './contracts/identity.js';
import type { Hooks } from './hooks.js';

/** The same service, with the hook `authenticate` called first. */
export function withAuthenticateHook(identity: Identity, hooks: Pick<Hooks, 'authenticate'>): Identity {
  const { logIn, close } = identity;
  return {
    rbac: identity.rbac,
    async authenticate(credentials: Credentials): Promise<User | undefined> {
      const hook = hooks.authenticate.get(credentials.kind);
      return (hook && (await hook.promise(credentials))) ?? identity.authenticate(credentials);
    },
    authorize: async request => request.user.grant?.(request.permission) ?? identity.authorize(request),
    async visibility(user, action) {
      if (user.grant) throw new SrvError('denied', `insufficient permissions: temporary credentials are not allowed to ${action}`);
      return identity.visibility(user, action);
    },
    ...(logIn ? { logIn: logIn.bind(identity) } : {}),
    session: identity.session,
    installationId: identity.installationId,
    ...(close ? { close: close.bind(identity) } : {}),
  };
}
