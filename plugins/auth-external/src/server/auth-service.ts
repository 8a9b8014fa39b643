/** The `auth` service over an external authorization service. */
import { SrvError } from '@srv/kernel';
import { wireUser } from '@srv/lib-auth/authorization';
import { createGroupService } from './group-service.js';
import { createAttachmentService, createPolicyService } from './policy-service.js';
import { Relations, noUser, userPath } from './relations.js';
import { createUserService } from './user-service.js';
import type { AuthFeature, AuthService, LoginSettings } from '@srv/auth/contract';
import type { Identity } from '@srv/kernel';
import type { Sessions, SignIns } from '@srv/lib-auth';
import type { ServiceClient } from './service-client.js';
import type { RemoteUserDirectory } from './user-directory.js';

const features: readonly AuthFeature[] = ['groups', 'policies'];

interface RemoteAuthParts {
  readonly service: ServiceClient;
  readonly directory: RemoteUserDirectory;
  readonly sessions: Sessions;
  readonly signIns: SignIns;
  readonly login: LoginSettings;
  readonly installationId: string;
  readonly visibility: Identity['visibility'];
}

export function createRemoteAuth(parts: RemoteAuthParts): AuthService {
  const { service, directory, sessions, signIns, login, installationId, visibility } = parts;
  const elsewhere = (what: string) =>
    Promise.reject(new SrvError('unsupported', `Not Implemented: ${what} are managed by the external authorization service`));
  const relations = new Relations(service, directory);

  return {
    mode: 'external',
    login,
    installationId,
    supports: feature => features.includes(feature),

    setupState: async () => ({ initialized: true, preferencesMissing: false }),
    // Users exist already, elsewhere: there is nothing to hand out.
    setup: async () => ({ accessKeyId: '', secretAccessKey: '', createdAt: new Date(0) }),
    setPreferences: async () => undefined,
    createAdministrator: () => elsewhere('administrators'),
    promoteOwner: () => elsewhere('administrators'),

    async logIn(key) {
      const admitted = await signIns.admit(key, { strict: true });
      if (!admitted) throw new SrvError('unauthenticated', 'error authenticating request');
      const { user: known, byAccessKey } = admitted;
      return { user: known, ...(await sessions.issue(known.username, byAccessKey ? { accessKeyId: key.accessKeyId } : {})) };
    },
    issueToken: (username, duration, limits) => sessions.issue(username, { ...limits, duration }),
    renewToken: token => sessions.renew(token),
    async revokeSessions(username) {
      await service.read(wireUser, { method: 'GET', path: userPath(username), expect: 200, missing: noUser });
      await sessions.revoke(username);
      await signIns.forget();
    },
    visibility,

    ...createUserService(parts),
    ...createGroupService(service, relations),
    ...createPolicyService(service, directory, relations),
    ...createAttachmentService(service, relations),

    getGroupAcl: () => elsewhere('permissions of groups'),
    setGroupAcl: () => elsewhere('permissions of groups'),
  };
}
