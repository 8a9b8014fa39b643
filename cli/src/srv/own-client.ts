/** Commands typed inside a booted kernel talk to that kernel. */
import { createClient } from '@srv/engine/client';
import { SrvError } from '@srv/kernel';
import { trustOnly } from './own-certificate.js';
import { serverAddress } from './server-address.js';
import type { Client } from '@srv/engine/client';
import type { Kernel, Permission, User } from '@srv/kernel';

/** What this needs of the service `auth`, whichever plugin provides it. */
interface Users {
  setupState(): Promise<{ readonly initialized: boolean }>;
  listUsers(page: { readonly after?: string }): Promise<{
    readonly results: readonly User[];
    readonly hasMore: boolean;
    readonly nextOffset: string;
  }>;
  issueToken(username: string): Promise<{ readonly token: string }>;
}

/** Settings under which the API is reached from this process alone, whatever the installation says. */
export const ownListener = [
  { key: 'listen_address', raw: '127.0.0.1:0', source: 'srv repl' },
  { key: 'tls.enabled', raw: false, source: 'srv repl' },
];

/** Rights that only administrators have. */
const everything: Permission = {
  all: ['fs:DeleteRepository', 'auth:CreateUser', 'auth:DeleteUser'].map(action => ({ action, resource: '*' })),
};

/** The kernel's API as an administrator, by tokens that are never shown. */
export class OwnClient {
  readonly #kernel: Kernel;
  #opened: Promise<unknown> | undefined;
  #client: Client | undefined;

  /** @param kernel serves (`isServing`), or has started with {@link ownListener} and does not serve yet. */
  constructor(kernel: Kernel, { isServing = false } = {}) {
    this.#kernel = kernel;
    if (isServing) this.#opened = Promise.resolve();
  }

  /** Opens the listener at the first call. @throws SrvError that says what is missing. */
  async get(): Promise<Client> {
    if (this.#client) return this.#client;
    const users = this.#users();
    if (!(await users.setupState()).initialized)
      throw new SrvError('invalid', 'the installation is not set up yet; run srv setup --user-name <name> with the same configuration');
    const { username } = await this.#administrator(users);
    this.#opened ??= this.#kernel.hooks.ready.promise();
    await this.#opened;
    const address = serverAddress(this.#kernel);
    if (!address) throw new SrvError('plugin', 'commands need the API, and no enabled plugin listens; enable http and api');
    this.#client ??= createClient({
      endpointUrl: address.url,
      token: async () => (await users.issueToken(username)).token,
      userAgent: 'srv-repl',
      // Issued for the name by which others reach the server, perhaps by an authority that only they know.
      ...(address.certificate && { tls: trustOnly(address.certificate.pem) }),
    });
    return this.#client;
  }

  /** Before the kernel stops, which waits for open connections. */
  close(): void {
    this.#client?.close();
  }

  #users(): Users {
    const users = (this.#kernel.services as { find(name: string): unknown }).find('auth') as Users | undefined;
    if (!users) throw new SrvError('plugin', 'commands need users, and no enabled plugin keeps them; enable auth');
    return users;
  }

  async #administrator(users: Users): Promise<User> {
    for (let after = ''; ; ) {
      const { results, hasMore, nextOffset } = await users.listUsers(after === '' ? {} : { after });
      for (const user of results) {
        const { allowed } = await this.#kernel.services.get('identity').authorize({ user, permission: everything });
        if (allowed) return user;
      }
      if (!hasMore)
        throw new SrvError(
          'not_found',
          'no user is an administrator, in whose name commands would work; create one with srv superuser --user-name <name>',
        );
      after = nextOffset;
    }
  }
}
