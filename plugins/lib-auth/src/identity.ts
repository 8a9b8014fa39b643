/** The identity service over a source of users: who is asking, and whether they may. */
import { SrvError } from '@srv/kernel';
import { decide, visibleResources } from './policy/evaluate.js';
import type { AuthorizationRequest, Credentials, Decision, Identity, SessionSettings, User } from '@srv/kernel';
import type { RequestFacts } from './policy/conditions.js';
import type { Sessions } from './sessions.js';
import type { SignIns } from './sign-ins.js';
import type { UserDirectory } from './user-directory.js';

export interface IdentityParts {
  readonly directory: UserDirectory;
  readonly sessions: Sessions;
  readonly signIns: SignIns;
  /** `none`: every user may do everything. */
  readonly rbac: Identity['rbac'];
  readonly session: SessionSettings;
  readonly installationId: string;
  /** Runs `work` and times it under the name of an operation. */
  readonly timed?: <T>(operation: string, work: () => Promise<T>) => Promise<T>;
}

export function createIdentity(parts: IdentityParts): Identity {
  const { directory, sessions, signIns, rbac, session, installationId, timed = (_, work) => work() } = parts;
  return {
    rbac,
    installationId,
    session,
    authenticate: credentials => timed('authenticate', () => authenticate(credentials, parts)),
    authorize: async request => (rbac === 'none' ? { allowed: true } : timed('authorize', () => authorize(request, directory))),
    async logIn(key, from, duration) {
      const admitted = await timed('logIn', () => signIns.admit(key, { from, strict: true }));
      if (!admitted) throw new SrvError('unauthenticated', 'error authenticating request');
      const { user, byAccessKey } = admitted;
      return sessions.issue(user.username, { duration, accessKeyId: byAccessKey ? key.accessKeyId : undefined });
    },
    async visibility(user, action) {
      if (rbac === 'none') return () => true;
      const visible = visibleResources(action, await directory.effectivePolicies(user.username), user.username);
      if (!visible) throw new SrvError('denied', 'insufficient permissions');
      return visible;
    },
  };
}

async function authenticate(credentials: Credentials, { directory, sessions, signIns }: IdentityParts): Promise<User | undefined> {
  if (credentials.kind === 'headers') return undefined;
  if (credentials.kind === 'token') return sessions.userOf(credentials.token);
  if (credentials.kind === 'basic') {
    const admitted = await signIns.admit(credentials, { from: credentials.from });
    return admitted?.byAccessKey ? { ...admitted.user, session: { accessKeyId: credentials.accessKeyId } } : admitted?.user;
  }
  const known = await directory.findAccessKey(credentials.accessKeyId);
  return known && credentials.check(known.secretAccessKey) ? directory.findUser(known.username) : undefined;
}

async function authorize(request: AuthorizationRequest, directory: UserDirectory): Promise<Decision> {
  const { username } = request.user;
  return decide(request.permission, await directory.effectivePolicies(username), { username, facts: new FactsOf(request) });
}

/** What conditions ask for is looked at when they do. */
class FactsOf implements RequestFacts {
  readonly #request: AuthorizationRequest;

  constructor(request: AuthorizationRequest) {
    this.#request = request;
  }

  get SourceIp(): string | undefined {
    return this.#request.sourceIp;
  }
}
