/** The identity service over the built-in directory: who is asking, and whether they may. */
import { equalSecrets } from './access-keys.js';
import { decide } from './policy/evaluate.js';
import { verifyToken } from './token.js';
import type { AuthorizationRequest, Credentials, Decision, Identity, User } from '@srv/kernel';
import type { AuthService } from '../contract.js';
import type { AuthMeter } from './auth-meter.js';
import type { Directory } from './directory/directory.js';

export interface IdentityParts {
  readonly auth: AuthService;
  readonly directory: Directory;
  /** Signs tokens. */
  readonly secretKey: string;
  readonly meter: AuthMeter;
}

export function createIdentity({ auth, directory, secretKey, meter }: IdentityParts): Identity {
  const { mode, login, installationId } = auth;
  return {
    rbac: mode,
    installationId,
    session: login,
    authenticate: credentials => meter.run('authenticate', () => authenticate(credentials, directory, secretKey)),
    authorize: async request => (mode === 'none' ? { allowed: true } : meter.run('authorize', () => authorize(request, directory))),
    logIn: key => auth.logIn(key),
    visibility: (user, action) => auth.visibility(user, action),
  };
}

async function authenticate(credentials: Credentials, directory: Directory, secretKey: string): Promise<User | undefined> {
  if (credentials.kind === 'headers') return undefined;
  if (credentials.kind === 'token') {
    const username = verifyToken(credentials.token, secretKey, new Date());
    return username === undefined ? undefined : directory.findUser(username);
  }
  const known = await directory.findAccessKey(credentials.accessKeyId);
  const right =
    credentials.kind === 'signature'
      ? known !== undefined && credentials.check(known.secretAccessKey)
      : equalSecrets(known?.secretAccessKey ?? '', credentials.secretAccessKey);
  return known && right ? directory.findUser(known.username) : undefined;
}

async function authorize(request: AuthorizationRequest, directory: Directory): Promise<Decision> {
  const { username } = request.user;
  const facts = {
    // Asked for when a condition looks at it.
    get SourceIp(): string | undefined {
      return request.sourceIp;
    },
  };
  return decide(request.permission, await directory.effectivePolicies(username), { username, facts });
}
