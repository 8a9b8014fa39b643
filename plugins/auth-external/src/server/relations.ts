/** Paths of users, groups and policies, and changes of what policies apply to whom. */
import type { Call, ServiceClient } from './service-client.js';
import type { RemoteUserDirectory } from './user-directory.js';

export const userPath = (name: string) => ['auth', 'users', name];
export const groupPath = (name: string) => ['auth', 'groups', name];
export const policyPath = (name: string) => ['auth', 'policies', name];

export const noUser = 'user not found';
export const noGroup = 'group not found';
export const noPolicy = 'policy not found';

/** Changes after which the policies of users have to be read again. */
export class Relations {
  readonly #service: ServiceClient;
  readonly #directory: RemoteUserDirectory;

  constructor(service: ServiceClient, directory: RemoteUserDirectory) {
    this.#service = service;
    this.#directory = directory;
  }

  async change(call: Call): Promise<void> {
    try {
      await this.#service.send(call);
    } finally {
      await this.#directory.forgetPolicies();
    }
  }

  /** @param missing both sides: the service does not say which one it is. */
  add(path: readonly string[], missing: string): Promise<void> {
    return this.change({ method: 'PUT', path, expect: 201, missing });
  }

  remove(path: readonly string[], missing: string): Promise<void> {
    return this.change({ method: 'DELETE', path, expect: 204, missing });
  }
}
