/** A server with the Hub API, and requests to it. */
import { faceKey, sendRaw, startFaceServer } from '@srv/lib-api/testing';
import type {} from '@srv/auth/contract';
import type { Engine } from '@srv/engine/contract';
import type { FaceRequestOptions, FaceResponse, FaceServer } from '@srv/lib-api/testing';

export const token = `${faceKey.accessKeyId}:${faceKey.secretAccessKey}`;

export interface HubServer extends FaceServer {
  readonly engine: Engine;
  /** @param path below `/hf`. */
  hub(method: string, path: string, options?: Omit<FaceRequestOptions, 'method'>): Promise<FaceResponse>;
}

/** @param values configuration by key. */
export async function startHub(values: Readonly<Record<string, unknown>> = {}, plugins: readonly string[] = []): Promise<HubServer> {
  const server = await startFaceServer({
    plugins: ['huggingface', ...plugins],
    values: { 'blockstore.default_namespace_prefix': 'local://hub', ...values },
  });
  return {
    ...server,
    engine: server.kernel.services.get('engine'),
    hub: (method, path, { headers = {}, body } = {}) =>
      sendRaw(server.url, `/hf${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...headers },
        body,
      }),
  };
}

/** A new user with these rights. @returns the header `Authorization`. */
export async function addUser(
  { kernel }: HubServer,
  username: string,
  statements: readonly { readonly action: readonly string[]; readonly resource: string }[],
): Promise<string> {
  const auth = kernel.services.get('auth');
  await auth.createUser({ username });
  if (statements.length > 0) {
    await auth.createPolicy(
      username,
      statements.map(({ action, resource }) => ({ effect: 'allow' as const, action: [...action], resource })),
    );
    await auth.attachToUser(username, username);
  }
  const { accessKeyId, secretAccessKey } = await auth.createCredential(username);
  return `Bearer ${accessKeyId}:${secretAccessKey}`;
}

export const line = (key: string, value: object): string => `${JSON.stringify({ key, value })}\n`;
/** As the Python client sends it: the content comes before the path. */
export const fileLine = (path: string, content: string | Buffer): string =>
  line('file', { content: Buffer.from(content).toString('base64'), path, encoding: 'base64' });
export const json = ({ body }: FaceResponse): Readonly<Record<string, unknown>> => JSON.parse(body) as Readonly<Record<string, unknown>>;
