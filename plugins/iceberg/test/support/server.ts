/** A server with a catalog, and requests to it. */
import { basicOf, faceKey, sendRaw, startFaceServer } from '@srv/lib-api/testing';
import type {} from '@srv/auth/contract';
import type { Engine } from '@srv/engine/contract';
import type { Kernel } from '@srv/kernel';
import type { FaceResponse, FaceServer } from '@srv/lib-api/testing';

export interface CatalogServer extends FaceServer {
  readonly engine: Engine;
  /** As the administrator, or as the holder of `token`. @param path below `/iceberg` or `/api`, or after `/v1/srv` of the whole catalog. */
  call(method: string, path: string, options?: CallOptions): Promise<FaceResponse>;
}

interface CallOptions {
  /** An object, or text as it is. */
  readonly body?: unknown;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** With the repository `lake`, its branches `main` and `dev`. */
export async function startCatalog(
  values: Readonly<Record<string, unknown>> = {},
  more: readonly string[] = [],
  storageNamespace = 'local://lake',
): Promise<CatalogServer> {
  const server = await openCatalogServer(values, more);
  await server.engine.createRepository({ id: 'lake', storageNamespace });
  await server.engine.createBranch('lake', 'dev', 'main');
  return server;
}

/** Without repositories, or with those of the folders that the configuration names. */
export async function openCatalogServer(
  values: Readonly<Record<string, unknown>>,
  more: readonly string[],
  prepare?: (kernel: Kernel) => void,
): Promise<CatalogServer> {
  const server = await startFaceServer({
    plugins: ['iceberg', 'gateway-s3', ...more],
    values: { 'auth.ui_config.rbac': 'internal', ...values },
    ...(prepare ? { prepare } : {}),
  });
  const engine = server.kernel.services.get('engine');
  return {
    ...server,
    engine,
    call(method, path, { body, token, headers = {} } = {}) {
      const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
      const authorization = token === undefined ? basicOf(faceKey) : `Bearer ${token}`;
      const target = /^\/(iceberg|api)\//.test(path) ? path : `/iceberg/api/v1/srv${path}`;
      return sendRaw(server.url, target, { method, headers: { authorization, ...headers }, ...(text === undefined ? {} : { body: text }) });
    },
  };
}

/** A token of the catalog. */
export async function logIn(
  server: CatalogServer,
  key: { readonly accessKeyId: string; readonly secretAccessKey: string } = faceKey,
): Promise<string> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: key.accessKeyId,
    client_secret: key.secretAccessKey,
    scope: 'catalog',
  });
  const answer = await sendRaw(server.url, '/iceberg/api/v1/oauth/tokens', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  });
  return (JSON.parse(answer.body) as { access_token: string }).access_token;
}

/** A new user with these rights. @returns a token of the catalog. */
export async function addUser(
  server: CatalogServer,
  username: string,
  statements: readonly { readonly action: readonly string[]; readonly resource: string }[],
): Promise<string> {
  const auth = server.kernel.services.get('auth');
  await auth.createUser({ username });
  await auth.createPolicy(
    username,
    statements.map(({ action, resource }) => ({ effect: 'allow' as const, action: [...action], resource })),
  );
  await auth.attachToUser(username, username);
  return logIn(server, await auth.createCredential(username));
}

export const namespacePath = (...parts: readonly string[]): string => `/namespaces/${encodeURIComponent(parts.join('\u001f'))}`;

export const schema = {
  type: 'struct',
  fields: [
    { id: 7, name: 'id', required: true, type: 'long' },
    { id: 9, name: 'tags', required: false, type: { type: 'list', 'element-id': 11, element: 'string', 'element-required': true } },
  ],
};

/** A snapshot without data, for `located`. @param id of 64 bits, as text. */
export const snapshotText = (id: string, sequence: number, parent?: string): string =>
  `{"action":"add-snapshot","snapshot":{"snapshot-id":${id},"sequence-number":${sequence},"timestamp-ms":${1_700_000_000_000 + sequence},` +
  `${parent === undefined ? '' : `"parent-snapshot-id":${parent},`}"manifest-list":"<location>/none.avro","summary":{"operation":"append"},"schema-id":0}}`;

export const mainText = (id: string): string => `{"action":"set-snapshot-ref","ref-name":"main","type":"branch","snapshot-id":${id}}`;

/** A change whose `<location>` becomes that of the table. */
export async function located({ call }: Pick<CatalogServer, 'call'>, table: string, change: string): Promise<string> {
  if (!change.includes('<location>')) return change;
  const { status, body } = await call('GET', table);
  if (status !== 200) throw new Error(`${status} ${body}`);
  return change.replaceAll('<location>', (JSON.parse(body) as { metadata: { location: string } }).metadata.location);
}
