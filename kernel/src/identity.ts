/** The identity service that faces see: taps of `authenticate` come before the one that was opened. */
import type { Credentials, Identity, User } from './contracts/identity.js';
import type { Hooks } from './hooks.js';

/** Members of `identity`; credentials go through the hook first. */
export function throughHooks(identity: Identity, hooks: Pick<Hooks, 'authenticate'>): Identity {
  const { logIn, close } = identity;
  return {
    rbac: identity.rbac,
    async authenticate(credentials: Credentials): Promise<User | undefined> {
      const asked = hooks.authenticate.get(credentials.kind);
      return (asked && (await asked.promise(credentials))) ?? identity.authenticate(credentials);
    },
    authorize: request => identity.authorize(request),
    visibility: (user, action) => identity.visibility(user, action),
    ...(logIn ? { logIn: logIn.bind(identity) } : {}),
    ...(identity.session ? { session: identity.session } : {}),
    ...(identity.installationId === undefined ? {} : { installationId: identity.installationId }),
    ...(close ? { close: close.bind(identity) } : {}),
  };
}
