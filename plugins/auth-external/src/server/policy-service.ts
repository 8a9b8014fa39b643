/** Policies, and whom they are attached to, over an external authorization service. */
import { checkNewName } from '@srv/lib-auth';
import { decodePolicy, wirePolicy } from '@srv/lib-auth/authorization';
import { readPage } from './read-page.js';
import { groupPath, noGroup, noPolicy, noUser, policyPath, userPath } from './relations.js';
import type { AuthService, Policy, Statement } from '@srv/auth/contract';
import type { Relations } from './relations.js';
import type { ServiceClient } from './service-client.js';
import type { RemoteUserDirectory } from './user-directory.js';

const list = { item: wirePolicy, decode: decodePolicy, nameOf: ({ id }: Policy) => id };

export function createPolicyService(service: ServiceClient, directory: RemoteUserDirectory, relations: Relations) {
  const store = async (method: 'POST' | 'PUT', id: string, statement: readonly Statement[]): Promise<Policy> => {
    const path = method === 'POST' ? ['auth', 'policies'] : policyPath(id);
    const call = { method, path, expect: method === 'POST' ? 201 : 200, missing: noPolicy, body: { name: id, statement } };
    try {
      return decodePolicy(await service.read(wirePolicy, call));
    } finally {
      await directory.forgetPolicies();
    }
  };
  return {
    async createPolicy(id, statement) {
      checkNewName('Policy', id);
      return store('POST', id, statement);
    },
    getPolicy: async id =>
      decodePolicy(await service.read(wirePolicy, { method: 'GET', path: policyPath(id), expect: 200, missing: noPolicy })),
    listPolicies: request => readPage(service, { ...list, path: ['auth', 'policies'] }, request),
    updatePolicy: (id, statement) => store('PUT', id, statement),
    deletePolicy: id => relations.change({ method: 'DELETE', path: policyPath(id), expect: 204, missing: noPolicy }),
  } satisfies Partial<AuthService>;
}

export function createAttachmentService(service: ServiceClient, relations: Relations) {
  const ofUser = (username: string) => [...userPath(username), 'policies'];
  const ofGroup = (id: string) => [...groupPath(id), 'policies'];
  return {
    attachToUser: (username, id) => relations.add([...ofUser(username), id], 'user or policy not found'),
    detachFromUser: (username, id) => relations.remove([...ofUser(username), id], 'user or policy not found'),
    listUserPolicies: (username, request) => readPage(service, { ...list, path: ofUser(username), missing: noUser }, request),
    attachToGroup: (id, name) => relations.add([...ofGroup(id), name], 'group or policy not found'),
    detachFromGroup: (id, name) => relations.remove([...ofGroup(id), name], 'group or policy not found'),
    listGroupPolicies: (id, request) => readPage(service, { ...list, path: ofGroup(id), missing: noGroup }, request),
  } satisfies Partial<AuthService>;
}
