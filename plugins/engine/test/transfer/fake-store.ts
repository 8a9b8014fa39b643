/** A server with as much of the API as pre-signed transfers need, and the object store it uses. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface FakeStore {
  readonly url: string;
  /** What was stored, by path. */
  readonly objects: Map<string, Buffer>;
  /** `METHOD /path` of every request. */
  readonly requests: string[];
  /** Bytes answered to signed reads are changed by this. */
  spoil: (bytes: Buffer) => Buffer;
  /** Times linking answers 409 before it works. */
  conflicts: number;
  /** Refuses URLs for reading from now on. @param last number of the last URL that is refused. Default: all that were given out. */
  expireUrls(last?: number): void;
  close(): void;
}

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

export async function startFakeStore(): Promise<FakeStore> {
  const store = { url: '', objects: new Map<string, Buffer>(), requests: [] as string[], spoil: (bytes: Buffer) => bytes, conflicts: 0 };
  let signed = 0;
  let expired = 0;
  const stats = (path: string) => {
    const bytes = store.objects.get(path) ?? Buffer.alloc(0);
    return {
      path,
      path_type: 'object',
      physical_address: `${store.url}/signed?number=${++signed}&path=${encodeURIComponent(path)}`,
      checksum: md5(bytes),
      size_bytes: bytes.length,
      mtime: 0,
    };
  };
  const json = (response: ServerResponse, status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const serve = (request: IncomingMessage, response: ServerResponse, url: URL, body: Buffer): void => {
    const path = url.searchParams.get('path') ?? '';
    if (request.headers.authorization) return void response.writeHead(400).end('two ways of authentication');
    if (request.method === 'PUT') {
      if (request.headers['content-length'] === undefined) return void response.writeHead(411).end();
      store.objects.set(path, body);
      return void response.writeHead(200, { etag: `"${md5(body)}"` }).end();
    }
    if (Number(url.searchParams.get('number')) <= expired) return void response.writeHead(403).end('Request has expired');
    const bytes = store.spoil(store.objects.get(path) ?? Buffer.alloc(0));
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    const part = range ? bytes.subarray(Number(range[1]), Number(range[2]) + 1) : bytes;
    response
      .writeHead(range ? 206 : 200, { 'content-length': part.length, etag: `"${md5(store.objects.get(path) ?? Buffer.alloc(0))}"` })
      .end(part);
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://x');
    const path = url.searchParams.get('path') ?? '';
    const route = `${request.method} ${url.pathname.replace(/^\/api\/v1/, '').replace(/^\/repositories\/[^/]+\/(branches|refs)\/[^/]+/, '')}`;
    store.requests.push(route);
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        if (url.pathname === '/signed') serve(request, response, url, Buffer.concat(chunks));
        else if (route === 'GET /staging/backing')
          json(response, 200, { physical_address: 'x', presigned_url: `${store.url}/signed?path=${encodeURIComponent(path)}` });
        else if (route === 'PUT /staging/backing')
          json(response, store.conflicts-- > 0 ? 409 : 200, store.conflicts >= 0 ? { message: 'again' } : stats(path));
        else if (route === 'GET /objects/stat') json(response, 200, stats(path));
        else if (route === 'GET /objects')
          response.writeHead(302, { location: stats(path).physical_address.replace('127.0.0.1', 'localhost') }).end();
        else json(response, 404, { message: `no ${route}` });
      });
  });
  await new Promise<void>(resolve => {
    server.listen(0, resolve);
  });
  store.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(store, {
    expireUrls: (last = signed) => {
      expired = last;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
}
