/** The `auth` service over an external authorization service. */
import { SrvError } from '@srv/kernel';
import {
  decodeCredential,
  decodeGroup,
  decodePolicy,
  decodeUser,
  decodeKey,
  plainUser,
  wireCredential,
  wireCredentialWithSecret,
  wireGroup,
  wirePage,
  wirePolicy,
  wireUser,
} from '@srv/lib-auth/authorization';
import type Joi from 'joi';
import type { Identity } from '@srv/kernel';
import type { AuthFeature, AuthPage, AuthPageRequest, AuthService, LoginSettings, Policy, Statement } from '@srv/auth/contract';
import type { Sessions, SignIns } from '@srv/lib-auth';
import type { WireUser } from '@srv/lib-auth/authorization';
import type { RemoteUserDirectory } from './user-directory.js';
import type { Call, ServiceClient } from './service-client.js';

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

const user = (name: string) => ['auth', 'users', name];
const group = (name: string) => ['auth', 'groups', name];
const policy = (name: string) => ['auth', 'policies', name];
const userOf = (found: WireUser) => plainUser(decodeUser(found));
const noUser = 'user not found';
const noGroup = 'group not found';
const noPolicy = 'policy not found';

export function createRemoteAuth(parts: RemoteAuthParts): AuthService {
  const { service, directory, sessions, signIns, login, installationId, visibility } = parts;
  const elsewhere = (what: string) =>
    Promise.reject(new SrvError('unsupported', `Not Implemented: ${what} are managed by the external authorization service`));
  const page = async <T, R>(
    item: Joi.ObjectSchema<T>,
    call: Pick<Call, 'path' | 'missing'>,
    request: PageQuery,
    decode: (item: T) => R,
  ) => {
    const { prefix, after, amount = 100, effective } = request;
    const query = { prefix, after, amount, effective };
    const { results, pagination } = await service.read(wirePage(item), { ...call, method: 'GET', expect: 200, query });
    // Results beyond the requested amount would be lost: the next page begins after the last one shown.
    const shown = results.slice(0, amount);
    const hasMore = pagination.has_more || shown.length < results.length;
    const found: AuthPage<R> = { results: shown.map(decode), hasMore, nextOffset: hasMore ? pagination.next_offset : '' };
    return found;
  };
  const change = async (call: Omit<Call, 'expect'> & { readonly expect: number }): Promise<void> => {
    try {
      await service.send(call);
    } finally {
      await directory.forgetPolicies();
    }
  };
  /** Finds out which side of a relation is missing, because the service does not say. */
  const link = (path: readonly string[], method: 'PUT' | 'DELETE', missing: string) =>
    change({ method, path, expect: method === 'PUT' ? 201 : 204, missing });
  const store = async (method: 'POST' | 'PUT', id: string, statement: readonly Statement[]): Promise<Policy> => {
    const path = method === 'POST' ? ['auth', 'policies'] : policy(id);
    const call = { method, path, expect: method === 'POST' ? 201 : 200, missing: noPolicy, body: { name: id, statement } };
    try {
      return decodePolicy(await service.read(wirePolicy, call));
    } finally {
      await directory.forgetPolicies();
    }
  };

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
    issueToken: (username, duration) => sessions.issue(username, duration === undefined ? {} : { duration }),
    async revokeSessions(username) {
      await service.read(wireUser, { method: 'GET', path: user(username), expect: 200, missing: noUser });
      await sessions.revoke(username);
      await signIns.forget();
    },
    visibility,

    async createUser({ username, email, friendlyName, source = 'internal' }) {
      const body = { username, source, ...(email ? { email } : {}), ...(friendlyName ? { friendlyName } : {}) };
      const created = await service.read(wireUser, { method: 'POST', path: ['auth', 'users'], expect: 201, body });
      await directory.forgetUser(username);
      return userOf(created);
    },
    getUser: async username => userOf(await service.read(wireUser, { method: 'GET', path: user(username), expect: 200, missing: noUser })),
    listUsers: (request = {}) => page(wireUser, { path: ['auth', 'users'] }, request, userOf),
    async deleteUser(username) {
      await service.send({ method: 'DELETE', path: user(username), expect: 204, missing: noUser });
      await directory.forgetUser(username);
      await sessions.revoke(username);
      await signIns.forget();
    },

    async createCredential(username, key) {
      const query = key && { access_key: key.accessKeyId, secret_key: key.secretAccessKey };
      const path = [...user(username), 'credentials'];
      const call = { method: 'POST', path, expect: 201, missing: noUser, ...(query ? { query } : {}) } as const;
      const { username: _, ...created } = decodeKey(await service.read(wireCredentialWithSecret, call));
      await directory.forgetKey(created.accessKeyId);
      return created;
    },
    getCredential: async (username, accessKeyId) =>
      decodeCredential(
        await service.read(wireCredential, {
          method: 'GET',
          path: [...user(username), 'credentials', accessKeyId],
          expect: 200,
          missing: 'credentials not found',
        }),
      ),
    listCredentials: (username, request = {}) =>
      page(wireCredential, { path: [...user(username), 'credentials'], missing: noUser }, request, decodeCredential),
    async deleteCredential(username, accessKeyId) {
      const path = [...user(username), 'credentials', accessKeyId];
      await service.send({ method: 'DELETE', path, expect: 204, missing: 'credentials not found' });
      await directory.forgetKey(accessKeyId);
    },

    async createGroup(id, description) {
      const body = { id, ...(description === undefined ? {} : { description }) };
      return decodeGroup(await service.read(wireGroup, { method: 'POST', path: ['auth', 'groups'], expect: 201, body }));
    },
    getGroup: async id => decodeGroup(await service.read(wireGroup, { method: 'GET', path: group(id), expect: 200, missing: noGroup })),
    listGroups: (request = {}) => page(wireGroup, { path: ['auth', 'groups'] }, request, decodeGroup),
    deleteGroup: id => change({ method: 'DELETE', path: group(id), expect: 204, missing: noGroup }),
    addMember: (id, username) => link([...group(id), 'members', username], 'PUT', 'group or user not found'),
    removeMember: (id, username) => link([...group(id), 'members', username], 'DELETE', 'group or user not found'),
    listMembers: (id, request = {}) => page(wireUser, { path: [...group(id), 'members'], missing: noGroup }, request, userOf),
    listUserGroups: (username, request = {}) =>
      page(wireGroup, { path: [...user(username), 'groups'], missing: noUser }, request, decodeGroup),

    createPolicy: (id, statement) => store('POST', id, statement),
    getPolicy: async id =>
      decodePolicy(await service.read(wirePolicy, { method: 'GET', path: policy(id), expect: 200, missing: noPolicy })),
    listPolicies: (request = {}) => page(wirePolicy, { path: ['auth', 'policies'] }, request, decodePolicy),
    updatePolicy: (id, statement) => store('PUT', id, statement),
    deletePolicy: id => change({ method: 'DELETE', path: policy(id), expect: 204, missing: noPolicy }),
    attachToUser: (username, id) => link([...user(username), 'policies', id], 'PUT', 'user or policy not found'),
    detachFromUser: (username, id) => link([...user(username), 'policies', id], 'DELETE', 'user or policy not found'),
    listUserPolicies: (username, request = {}) =>
      page(wirePolicy, { path: [...user(username), 'policies'], missing: noUser }, request, decodePolicy),
    attachToGroup: (id, name) => link([...group(id), 'policies', name], 'PUT', 'group or policy not found'),
    detachFromGroup: (id, name) => link([...group(id), 'policies', name], 'DELETE', 'group or policy not found'),
    listGroupPolicies: (id, request = {}) =>
      page(wirePolicy, { path: [...group(id), 'policies'], missing: noGroup }, request, decodePolicy),

    getGroupAcl: () => elsewhere('permissions of groups'),
    setGroupAcl: () => elsewhere('permissions of groups'),
  };
}

type PageQuery = AuthPageRequest & { readonly effective?: boolean };
