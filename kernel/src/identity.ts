/** The identity service that faces see: taps of `authenticate` and `authorize` come before the one that was opened. */
import type { AuthorizationRequest, Credentials, Decision, Identity, User } from './contracts/identity.js';
import type { Hooks } from './hooks.js';

/** Members of `identity`, with the two questions going through the hooks first. */
export function throughHooks(identity: Identity, { authenticate, authorize }: Pick<Hooks, 'authenticate' | 'authorize'>): Identity {
  const { logIn, close } = identity;
  return {
    rbac: identity.rbac,
    async authenticate(credentials: Credentials): Promise<User | undefined> {
      const known = authenticate.isUsed() ? await authenticate.promise(credentials) : undefined;
      return known ?? identity.authenticate(credentials);
    },
    async authorize(request: AuthorizationRequest): Promise<Decision> {
      const decision = authorize.isUsed() ? await authorize.promise(request) : undefined;
      return decision ?? identity.authorize(request);
    },
    visibility: (user, action) => identity.visibility(user, action),
    ...(logIn ? { logIn: logIn.bind(identity) } : {}),
    ...(identity.session ? { session: identity.session } : {}),
    ...(identity.installationId === undefined ? {} : { installationId: identity.installationId }),
    ...(close ? { close: close.bind(identity) } : {}),
  };
}
