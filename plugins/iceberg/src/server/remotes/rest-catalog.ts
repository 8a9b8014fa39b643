/** A catalog that speaks the Iceberg REST protocol. */
import { SrvError, messageOf } from '@srv/kernel';
import { readText } from '@srv/lib-api/http';
import { isObject, parseExact, writeExact } from '../exact-json.js';
import type { RestRemote } from '../../remote-list.js';
import type { JsonObject } from '../exact-json.js';
import type { RemoteCatalog, RemoteRegistration, RemoteTable } from './remote-catalog.js';

/** Milliseconds that a request may take, and bytes of its answer. */
const timeout = 30_000;
const maxAnswer = 64 << 20;
/** Characters of what the other catalog says that are passed on. */
const maxReason = 500;

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

export class RestCatalog implements RemoteCatalog {
  readonly #remote: RestRemote;
  readonly #base: string;

  constructor(remote: RestRemote) {
    this.#remote = remote;
    this.#base = `${remote.uri.endsWith('/') ? remote.uri.slice(0, -1) : remote.uri}/v1`;
  }

  async locationOf({ namespace, table }: RemoteTable): Promise<string> {
    const session = await this.#open();
    const path = `${session.tables(namespace)}/tables/${encodeURIComponent(table)}?snapshots=refs`;
    const { 'metadata-location': location } = this.#done(await session.send('GET', path));
    if (typeof location !== 'string')
      throw new SrvError('invalid', `catalog ${this.#remote.id} names no metadata file of ${[...namespace, table].join('.')}`);
    return location;
  }

  async register({ namespace, table: name, location, force, createsNamespace }: RemoteRegistration): Promise<void> {
    const session = await this.#open();
    if (createsNamespace)
      for (let depth = 1; depth <= namespace.length; depth++) {
        const answer = await session.send('POST', `${session.prefix}/namespaces`, { namespace: namespace.slice(0, depth), properties: {} });
        // Outer levels may be there, or may not be made by a catalog, such as repositories and branches.
        if (answer.status !== 409 && depth === namespace.length) this.#done(answer);
      }
    const path = `${session.tables(namespace)}/register`;
    const body = { name, 'metadata-location': location };
    const answer = await session.send('POST', path, force ? { ...body, overwrite: true } : body);
    if (!force || answer.status !== 409) return void this.#done(answer);
    // Catalogs that do not know of `overwrite`.
    this.#done(await session.send('DELETE', `${session.tables(namespace)}/tables/${encodeURIComponent(name)}?purgeRequested=false`));
    this.#done(await session.send('POST', path, body));
  }

  async #open() {
    const { credential, warehouse } = this.#remote;
    const token = credential === '' ? undefined : await this.#token();
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const query = warehouse === '' ? '' : `?warehouse=${encodeURIComponent(warehouse)}`;
    const { overrides, defaults } = this.#done(await this.#send('GET', `/config${query}`, { headers }));
    const setting = (name: string): string => {
      const found = [overrides, defaults].map(some => (isObject(some) ? some[name] : undefined)).find(value => typeof value === 'string');
      return typeof found === 'string' ? found : '';
    };
    const prefix = setting('prefix') === '' ? '' : `/${setting('prefix')}`;
    const separator = setting('namespace-separator') || '%1F';
    return {
      prefix,
      tables: (namespace: readonly string[]): string => `${prefix}/namespaces/${namespace.map(encodeURIComponent).join(separator)}`,
      send: (method: string, path: string, body?: JsonObject): Promise<Answer> =>
        this.#send(method, path, {
          headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: writeExact(body) }),
        }),
    };
  }

  async #token(): Promise<string> {
    const { credential, tokenUri, scope, id } = this.#remote;
    const [clientId = '', ...secret] = credential.split(':');
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret.join(':'), scope });
    const init = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: form.toString() };
    const { status, body } = await this.#send('POST', tokenUri === '' ? '/oauth/tokens' : tokenUri, init);
    if (status !== 200 || typeof body['access_token'] !== 'string')
      throw new SrvError('invalid', `catalog ${id} refuses its credential, which iceberg_catalog.remotes gives (status ${status})`);
    return body['access_token'];
  }

  /** @param path after `/v1`, or a whole address. */
  async #send(method: string, path: string, init: Pick<RequestInit, 'headers' | 'body'>): Promise<Answer> {
    const address = path.startsWith('/') ? this.#base + path : path;
    try {
      const signal = AbortSignal.timeout(timeout);
      const response = await fetch(address, { ...init, method, signal, redirect: 'manual' });
      const text = await readText(response, maxAnswer);
      const body = text === '' ? {} : await parseExact(text, 'its answer');
      return { status: response.status, body: isObject(body) ? body : {} };
    } catch (error) {
      throw new SrvError('invalid', `catalog ${this.#remote.id} does not answer: ${messageOf(error)}`, { cause: error });
    }
  }

  /** @throws SrvError with what the catalog says. */
  #done({ status, body }: Answer): JsonObject {
    if (status >= 200 && status < 300) return body;
    const { error } = body;
    const reason = isObject(error) && typeof error['message'] === 'string' ? error['message'].slice(0, maxReason) : 'it gives no reason';
    // Of what is not the fault of the caller the message would not be shown.
    const code = status === 404 ? 'not_found' : status === 409 ? 'not_unique' : 'invalid';
    throw new SrvError(code, `catalog ${this.#remote.id} answers with status ${status}: ${reason}`);
  }
}
