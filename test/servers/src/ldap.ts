/** An LDAP directory on a free port: one folder of people, who log in with their passwords. */
import { freePort } from './free-port.js';
import { loopbackCertificate } from './loopback-certificate.js';
import { loadPackage } from './packages.js';
import type { TestServer } from './test-server.js';

export interface Person {
  readonly uid: string;
  readonly password: string;
  /** Further attributes. */
  readonly attributes?: Readonly<Record<string, string>>;
}

export interface LdapOptions {
  readonly people: readonly Person[];
  /** TLS from the start. Default: true. */
  readonly secure?: boolean;
  /** Only this account may search; absent: any account. */
  readonly reader?: { readonly dn: string; readonly password: string };
  /** Runs before each search is answered. */
  readonly onSearch?: () => Promise<void>;
}

export interface LdapServer extends TestServer {
  /** Filters of searches, in order. */
  readonly searches: readonly string[];
  /** Names of users that logged in or tried to, in order. */
  readonly binds: readonly string[];
}

/** What handlers of the server get. */
interface BindRequest {
  readonly dn: unknown;
  readonly credentials: string;
}
interface SearchRequest {
  readonly filter: { toString(): string };
  readonly connection: { readonly ldap: { readonly bindDN?: unknown } };
}
interface Response {
  send(entry: object): void;
  end(): void;
}
type Handler<Request> = (request: Request, response: Response, next: (error?: unknown) => void) => void;

interface DirectoryServer {
  bind(tree: string, handler: Handler<BindRequest>): void;
  search(tree: string, handler: Handler<SearchRequest>): void;
  listen(port: number, host: string, done: () => void): void;
  close(done: () => void): void;
}

interface LdapPackage {
  readonly default: {
    createServer(options: { readonly certificate?: string; readonly key?: string }): DirectoryServer;
    parseFilter(filter: string): { matches(attributes: object): boolean };
    readonly InvalidCredentialsError: new () => Error;
    readonly InsufficientAccessRightsError: new () => Error;
    readonly OperationsError: new () => Error;
  };
}

const base = 'ou=people,dc=example,dc=com';

/** Names and values of people compare without case, as directories do. */
const lowerCased = (attributes: Readonly<Record<string, string>>): object =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name.toLowerCase(), value.toLowerCase()]));

export async function startLdap({ people, secure = true, reader, onSearch }: LdapOptions): Promise<LdapServer> {
  const { default: ldap } = await loadPackage<LdapPackage>('ldapjs');
  const port = await freePort();
  const searches: string[] = [];
  const binds: string[] = [];
  const url = `${secure ? 'ldaps' : 'ldap'}://127.0.0.1:${port}`;
  const { cert: certificate, key } = loopbackCertificate;
  let server: DirectoryServer | undefined;
  const dnOf = ({ uid }: Person): string => `uid=${uid},${base}`;
  const plain = (dn: unknown): string => String(dn).replaceAll(/,\s+/g, ',').toLowerCase();

  const bind: Handler<BindRequest> = (request, response, next) => {
    const dn = plain(request.dn);
    binds.push(dn);
    const known = [...people.map(person => ({ dn: dnOf(person), password: person.password })), ...(reader ? [reader] : [])];
    if (!known.some(one => one.dn.toLowerCase() === dn && one.password === request.credentials))
      return next(new ldap.InvalidCredentialsError());
    response.end();
    return next();
  };
  const search: Handler<SearchRequest> = (request, response, next) => {
    const dn = plain(request.connection.ldap.bindDN ?? '');
    if (reader && dn !== reader.dn.toLowerCase()) return next(new ldap.InsufficientAccessRightsError());
    searches.push(request.filter.toString());
    const answer = async (): Promise<void> => {
      await onSearch?.();
      const filter = ldap.parseFilter(request.filter.toString().toLowerCase());
      for (const person of people) {
        const entry = { dn: dnOf(person), attributes: { objectclass: 'person', uid: person.uid, ...person.attributes } };
        if (filter.matches(lowerCased(entry.attributes))) response.send(entry);
      }
      response.end();
    };
    answer().then(
      () => next(),
      () => next(new ldap.OperationsError()),
    );
    return undefined;
  };
  const start = async (): Promise<void> => {
    const opened = ldap.createServer(secure ? { certificate, key } : {});
    opened.bind('dc=example,dc=com', bind);
    opened.search(base, search);
    await new Promise<void>(resolve => opened.listen(port, '127.0.0.1', resolve));
    server = opened;
  };
  const stop = (): Promise<void> => new Promise(resolve => (server ? server.close(() => resolve()) : resolve()));
  await start();
  return { url: `${url}/${base}`, env: {}, searches, binds, start, stop, close: stop };
}
