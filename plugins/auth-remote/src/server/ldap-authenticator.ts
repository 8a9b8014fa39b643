/** An LDAP directory: looks a user up, then logs in as it. */
import { SrvError, messageOf } from '@srv/kernel';
import { AndFilter, Client, EqualityFilter, FilterParser, InvalidCredentialsError, NoSuchObjectError } from 'ldapts';
import type { AccessKey } from '@srv/kernel';
import type { LdapDirectory } from '../ldap-url.js';
import type { Authenticator } from './authenticator.js';

export interface LdapOptions extends LdapDirectory {
  /** The account that looks users up; absent: anonymous. */
  readonly reader?: { readonly dn: string; readonly password: string } | undefined;
  /** Encrypts connections that do not begin so. */
  readonly startTls: boolean;
  /** Trusted certificates; absent: the usual ones. */
  readonly ca?: string | undefined;
  /** Milliseconds for the whole. */
  readonly timeout: number;
}

interface Found {
  readonly dn: string;
  readonly name: string;
}

export class LdapAuthenticator implements Authenticator {
  readonly #options: LdapOptions;
  readonly #filter: ReturnType<typeof FilterParser.parseString>;

  /** @throws SrvError `config` for a filter that cannot be read. */
  constructor(options: LdapOptions) {
    this.#options = options;
    try {
      this.#filter = FilterParser.parseString(options.filter);
    } catch (error) {
      throw new SrvError('config', `auth.remote_authenticator.endpoint: filter ${options.filter}: ${messageOf(error)}`, { cause: error });
    }
  }

  async authenticate({ accessKeyId, secretAccessKey }: AccessKey): Promise<string | undefined> {
    // LDAP accepts a bind without a password as anonymous, whatever the name.
    if (accessKeyId === '' || secretAccessKey === '' || accessKeyId.includes('\0')) return undefined;
    const { timeout } = this.#options;
    const work = this.#withClient(async client => {
      const found = await this.#find(client, accessKeyId);
      return found && (await this.#bind(client, found.dn, secretAccessKey)) ? found.name : undefined;
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no response within ${timeout} ms`)), timeout);
    });
    try {
      return await Promise.race([work, late]);
    } catch (error) {
      throw new SrvError('unavailable', `auth.remote_authenticator.endpoint: LDAP: ${messageOf(error)}`, { cause: error });
    } finally {
      clearTimeout(timer);
      // The loser of the race ends on its own, within its limits.
      work.catch(() => undefined);
    }
  }

  async #withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const { server, secure, startTls, ca, timeout, reader } = this.#options;
    const tlsOptions = ca === undefined ? {} : { ca };
    const client = new Client({ url: server, timeout, connectTimeout: timeout, ...(secure ? { tlsOptions } : {}) });
    try {
      if (!secure && startTls) await client.startTLS({ ...tlsOptions, host: new URL(server).hostname });
      if (reader && !(await this.#bind(client, reader.dn, reader.password)))
        throw new Error('auth.remote_authenticator.ldap.bind_dn is refused: wrong name or password');
      return await work(client);
    } finally {
      await client.unbind().catch(() => undefined);
    }
  }

  /** The entry with this name, or none if several match. */
  async #find(client: Client, name: string): Promise<Found | undefined> {
    const { base, scope, attribute } = this.#options;
    // The name is a value, and never read as a part of a filter.
    const filter = new AndFilter({ filters: [this.#filter, new EqualityFilter({ attribute, value: name })] });
    let entries: Awaited<ReturnType<Client['search']>>['searchEntries'];
    try {
      ({ searchEntries: entries } = await client.search(base, { scope, filter, attributes: [attribute], sizeLimit: 2 }));
    } catch (error) {
      if (error instanceof NoSuchObjectError) return undefined;
      throw error;
    }
    const [entry, other] = entries;
    if (other) throw new Error(`more than one entry has the ${attribute} of the user`);
    if (!entry) return undefined;
    // As the directory spells it: "Ann" and "ann" are one person there.
    const [, value] = Object.entries(entry).find(([key]) => key.toLowerCase() === attribute.toLowerCase()) ?? [];
    const values = [value].flat().map(String);
    if (values.length === 0 || value === undefined) throw new Error(`the directory answers with an entry without ${attribute}`);
    // Directories find more than they are asked for: without regard to accents, for example, or to spaces at the ends.
    const own = values.find(known => known.toLowerCase() === name.toLowerCase());
    return own === undefined ? undefined : { dn: entry.dn, name: own };
  }

  async #bind(client: Client, dn: string, password: string): Promise<boolean> {
    try {
      await client.bind(dn, password);
      return true;
    } catch (error) {
      if (error instanceof InvalidCredentialsError) return false;
      throw error;
    }
  }
}
