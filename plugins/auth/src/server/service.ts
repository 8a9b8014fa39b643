/** The `auth` service: modes, names and texts around the directory. */
import { SrvError } from '@srv/kernel';
import { createGroupService } from './group-service.js';
import { ModeFeatures } from './mode-features.js';
import { createAttachmentService, createPolicyService } from './policy-service.js';
import { createAdministrator, createPresets, hasAdministrator, promoteOwner, setUp, withoutAdministrators } from './setup.js';
import { createUserService } from './user-service.js';
import type { Identity } from '@srv/kernel';
import type { Sessions, SignIns } from '@srv/lib-auth';
import type { AuthMode, AuthService, LoginSettings } from '../contract.js';
import type { Directory } from './directory/directory.js';
import type { Installation } from './installation.js';

interface AuthParts {
  readonly directory: Directory;
  readonly installation: Installation;
  readonly installationId: string;
  readonly mode: AuthMode;
  readonly login: LoginSettings;
  readonly sessions: Sessions;
  readonly signIns: SignIns;
  readonly visibility: Identity['visibility'];
}

export function createAuthService(parts: AuthParts): AuthService {
  const { directory, installation, installationId, mode, login, sessions, signIns, visibility } = parts;
  const features = new ModeFeatures(mode, directory);
  /** Saves a read per page: the last administrator seldom goes. */
  let isAdministered = false;
  /** An administrator without the groups and policies of the mode would have no rights. */
  const needPresets = async (): Promise<void> => {
    if (await installation.hasPresets()) return;
    await createPresets(directory, mode, false);
    await installation.markPresets();
  };

  return {
    mode,
    login,
    installationId,
    supports: feature => features.supports(feature),

    async setupState() {
      const state = await installation.state();
      if (!state.initialized || mode === 'none') return state;
      isAdministered ||= await hasAdministrator(directory);
      return isAdministered ? state : { ...state, notice: withoutAdministrators };
    },
    setup: request => setUp(directory, installation, mode, request),
    setPreferences: preferences => installation.writePreferences(preferences),
    async createAdministrator(username, key) {
      await needPresets();
      return createAdministrator(directory, mode, username, key);
    },
    async promoteOwner(username, accessKeyId) {
      await needPresets();
      await promoteOwner(directory, mode, username, accessKeyId);
    },

    async logIn(key) {
      const admitted = await signIns.admit(key, { strict: true });
      if (!admitted) throw new SrvError('unauthenticated', 'error authenticating request');
      const { user, byAccessKey } = admitted;
      return { user, ...(await sessions.issue(user.username, byAccessKey ? { accessKeyId: key.accessKeyId } : {})) };
    },
    issueToken: (username, duration, limits) => sessions.issue(username, { ...limits, duration }),
    renewToken: token => sessions.renew(token),
    async revokeSessions(username) {
      await directory.users.get(username);
      await sessions.revoke(username);
      await signIns.forget();
    },
    visibility,

    ...createUserService({ directory, sessions, signIns }),
    ...createGroupService(directory, features),
    ...createPolicyService(directory, features),
    ...createAttachmentService(directory, features),
  };
}
