/** An OpenID provider on a free port, and a browser that logs people in there. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { freePort } from './free-port.js';
import { keptAlive } from './keep-alive.js';
import { loadPackage } from './packages.js';
import type { RequestListener } from 'node:http';
import type { TestServer } from './test-server.js';

interface OidcPackage {
  readonly default: new (issuer: string, configuration: object) => { callback(): RequestListener };
}

export interface OidcOptions {
  readonly redirectUri: string;
  /** Where logouts may return to. */
  readonly afterLogout: string;
  /** Login name → what its identity token says in addition to `sub`. Read at each login. */
  readonly people: Record<string, Readonly<Record<string, unknown>>>;
}

export interface OidcServer extends TestServer {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export async function startOidc({ redirectUri, afterLogout, people }: OidcOptions): Promise<OidcServer> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const [clientId, clientSecret] = ['srv', randomUUID()];
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const claims = [...new Set(['sub', ...Object.values(people).flatMap(Object.keys)])];
  const { default: Provider } = await loadPackage<OidcPackage>('oidc-provider');
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri], post_logout_redirect_uris: [afterLogout] }],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'test', alg: 'RS256', use: 'sig' }] },
    cookies: { keys: [randomUUID()] },
    conformIdTokenClaims: false,
    claims: { openid: claims },
    scopes: ['openid', 'profile', 'email'],
    findAccount: async (_context: unknown, login: string) => ({ accountId: login, claims: async () => ({ ...people[login], sub: login }) }),
    ttl: { Interaction: 600, Session: 600, Grant: 600, IdToken: 600, AccessToken: 600 },
  });
  const server = createServer(keptAlive, provider.callback());
  const start = async (): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  await start();
  return { url: issuer, issuer, clientId, clientSecret, env: {}, start, stop, close: stop };
}

/** Keeps cookies per host and follows redirects by hand. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Names of cookies for the host of an address. */
  cookies(url: string): ReadonlyMap<string, string> {
    return this.#jar(url);
  }

  set(url: string, name: string, value: string): void {
    this.#jar(url).set(name, value);
  }

  async visit(
    url: string,
    form?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly location: string | undefined; readonly text: string }> {
    const cookie = [...this.#jar(url)].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie, accept: 'text/html' },
      ...(form ? { body: new URLSearchParams(form) } : {}),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';').map(part => part.trim());
      const at = pair.indexOf('=');
      const gone = attributes.some(part => /^max-age=0$/i.test(part) || /^expires=thu, 01 jan 1970/i.test(part));
      if (gone) this.#jar(url).delete(pair.slice(0, at));
      else this.#jar(url).set(pair.slice(0, at), pair.slice(at + 1));
    }
    const location = response.headers.get('location');
    return { status: response.status, location: location === null ? undefined : new URL(location, url).href, text: await response.text() };
  }

  /** Follows redirects and the provider's pages, until an address that `isThere` accepts. @param login at the provider; absent: refuses. */
  async walk(url: string, login: string | undefined, isThere: (url: string) => boolean): Promise<string> {
    for (let at = url, steps = 0; steps < 20; steps++) {
      if (isThere(at)) return at;
      const page = await this.visit(at);
      if (page.location !== undefined) at = page.location;
      else at = await this.#answer(at, page.text, login);
    }
    throw new Error(`no end of redirects from ${url}`);
  }

  async #answer(at: string, page: string, login: string | undefined): Promise<string> {
    if (login === undefined) return (await this.visit(`${at}/abort`)).location ?? at;
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1];
    const target = /action="([^"]+)"/.exec(page)?.[1] ?? at;
    const form = xsrf === undefined ? { prompt: prompt ?? '', login, password: 'any' } : { xsrf, logout: 'yes' };
    const { location, status } = await this.visit(new URL(target, at).href, form);
    if (location === undefined) throw new Error(`${target} answers ${status}`);
    return location;
  }

  #jar(url: string): Map<string, string> {
    const { host } = new URL(url);
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    return jar;
  }
}
