/** A server with WebDAV, and requests to it. */
import { basicOf, faceKey, sendRaw, startFaceServer } from '@srv/lib-api/testing';
import type {} from '@srv/auth/contract';
import type { Engine } from '@srv/engine/contract';
import type { FaceRequestOptions, FaceResponse, FaceServer } from '@srv/lib-api/testing';

export interface DavServer extends FaceServer {
  readonly engine: Engine;
  /** As the administrator, or as the user whose `authorization` is among the headers. @param path below `/dav`. */
  dav(method: string, path: string, options?: Omit<FaceRequestOptions, 'method'>): Promise<FaceResponse>;
}

/** With the repository `repo`, its branches `main` and `dev`. @param values configuration by key. */
export async function startDav(values: Readonly<Record<string, unknown>> = {}, more: readonly string[] = []): Promise<DavServer> {
  const server = await startFaceServer({ plugins: ['webdav', ...more], values });
  const engine = server.kernel.services.get('engine');
  await engine.createRepository({ id: 'repo', storageNamespace: 'local://repo' });
  await engine.createBranch('repo', 'dev', 'main');
  const authorization = basicOf(faceKey);
  return {
    ...server,
    engine,
    dav: (method, path, { headers = {}, body } = {}) =>
      sendRaw(server.url, `/dav${path}`, { method, headers: { authorization, ...headers }, body }),
  };
}

/** A new user with these rights. @returns the header `Authorization`. */
export async function addUser(
  { kernel }: DavServer,
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
  return basicOf(await auth.createCredential(username));
}

/** URLs that a multistatus answers for, in order. */
export const hrefsIn = (body: string): string[] => [...body.matchAll(/<D:response><D:href>([^<]*)/g)].map(([, href = '']) => href);

/** Locks a path. @returns its token. */
export async function lockPath(
  server: DavServer,
  path: string,
  { headers = {}, scope = 'exclusive' }: { headers?: Record<string, string>; scope?: string } = {},
): Promise<FaceResponse & { readonly token: string }> {
  const body = `<?xml version="1.0"?><D:lockinfo xmlns:D="DAV:"><D:lockscope><D:${scope}/></D:lockscope><D:locktype><D:write/></D:locktype><D:owner>ann &amp; co</D:owner></D:lockinfo>`;
  const answer = await server.dav('LOCK', path, { headers, body });
  return { ...answer, token: /<([^>]*)>/.exec(String(answer.headers['lock-token'] ?? ''))?.[1] ?? '' };
}
