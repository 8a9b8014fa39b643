/**
 * Ways to the server. Every test speaks HTTP/1.1 in the clear, to the server itself or to a relay that goes the rest of the
 * way over another transport, so that each test can run over each of them.
 */
import { once } from 'node:events';
import { createServer as createHttpServer, request as httpRequest } from 'node:http';
import { connect as connectHttp2, constants, createServer as createHttp2Server } from 'node:http2';
import { createServer as createTcpServer } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ClientHttp2Session, Http2ServerRequest, Http2ServerResponse, IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo, Server, Socket } from 'node:net';

export interface Relay {
  readonly port: number;
  close(): Promise<void>;
}

interface Transport {
  /** Whether the server needs a certificate. */
  readonly tls: boolean;
  /** Whether bytes arrive as they were sent, and not only requests. */
  readonly transparent: boolean;
  /** Absent: the server is reached without a relay. */
  open?(port: number): Promise<Relay>;
}

const fixture = (name: string): string => fileURLToPath(new URL(`../../../../http/test/fixtures/test-only-${name}.pem`, import.meta.url));

/** Settings of a server with a certificate for `localhost` and 127.0.0.1. */
export const tlsSettings = { 'tls.enabled': true, 'tls.cert_file': fixture('cert'), 'tls.key_file': fixture('key') };
/** File of the certificate, for clients that must trust it. */
export const certificateFile = fixture('cert');

export const transports = {
  clear: { tls: false, transparent: true },
  'HTTP/1.1 over TLS': { tls: true, transparent: true, open: port => tlsTunnel(port) },
  'HTTP/2 over TLS': { tls: true, transparent: false, open: port => toHttp2(() => connectHttp2(`https://127.0.0.1:${port}`, trusting)) },
  'a proxy that rewrites headers': { tls: false, transparent: false, open: rewritingProxy },
  'a proxy from HTTP/2 to HTTP/1.1': { tls: false, transparent: false, open: http2Proxy },
} as const satisfies Readonly<Record<string, Transport>>;

export type TransportName = keyof typeof transports;

/** Of the tests of this process: `SRV_TEST_TRANSPORT`, `clear` by default. */
export function chosenTransport(): TransportName {
  const name = process.env['SRV_TEST_TRANSPORT'] ?? 'clear';
  if (!isTransport(name)) throw new Error(`SRV_TEST_TRANSPORT is ${name}; allowed: ${Object.keys(transports).join(', ')}`);
  return name;
}

/** For tests of bytes on the connection rather than of requests. */
export const needsBytes = { skip: transports[chosenTransport()].transparent ? false : 'needs a connection that carries bytes' };

function isTransport(name: string): name is TransportName {
  return Object.hasOwn(transports, name);
}

/** @param name the transport to reach the server at `port` over. */
export async function openTransport(name: TransportName, port: number): Promise<Relay> {
  const { open }: Transport = transports[name];
  return open ? open(port) : { port, close: async () => undefined };
}

/** Certificates of the tests are self-signed. */
const trusting = { rejectUnauthorized: false };

/** Headers about one connection. */
const hopByHop = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);

async function relayOf(server: Server, closeOthers: () => void): Promise<Relay> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise(resolve => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      closeOthers();
      await closed;
    },
  };
}

/** Carries bytes, whatever they are. */
async function tlsTunnel(port: number): Promise<Relay> {
  const open = new Set<Socket>();
  const server = createTcpServer({ allowHalfOpen: true }, socket => {
    const far = connectTls({ port, host: '127.0.0.1', ALPNProtocols: ['http/1.1'], ...trusting });
    open.add(far);
    far.on('close', () => {
      open.delete(far);
      // What was received is still to be read.
      socket.end();
    });
    far.on('error', () => undefined);
    socket.on('close', () => far.destroy());
    socket.pipe(far);
    far.pipe(socket);
  });
  return relayOf(server, () => {
    for (const far of open) far.destroy();
  });
}

/** Requests become streams of one session. */
async function toHttp2(connect: () => ClientHttp2Session): Promise<Relay> {
  let session: ClientHttp2Session | undefined;
  const current = (): ClientHttp2Session => {
    if (!session || session.closed || session.destroyed) session = connect().on('error', () => undefined);
    return session;
  };
  const relay = (request: IncomingMessage, response: ServerResponse): void => forwardToHttp2(current(), request, response);
  const server = createHttpServer({ requestTimeout: 0, maxHeaderSize: 1 << 20 }, relay).on('checkContinue', relay);
  return relayOf(server, () => session?.destroy());
}

function forwardToHttp2(session: ClientHttp2Session, request: IncomingMessage, response: ServerResponse): void {
  const headers: Record<string, string | string[]> = {
    ':method': request.method ?? 'GET',
    ':scheme': 'https',
    ':authority': request.headers.host ?? '',
    ':path': request.url ?? '/',
  };
  for (const [name, value] of linesOf(request)) {
    if (hopByHop.has(name) || name === 'host') continue;
    const before = headers[name];
    headers[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
  }
  const hasBody = request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  const stream = session.request(headers, { endStream: !hasBody });
  stream.on('continue', () => response.writeContinue());
  stream.on('response', (answer: IncomingHttpHeaders) => {
    const { ':status': status = 502, ...rest } = answer;
    response.writeHead(Number(status), rest as OutgoingHttpHeaders);
  });
  stream.on('data', (piece: Buffer) => {
    if (!response.write(piece)) stream.pause();
  });
  response.on('drain', () => stream.resume());
  stream.on('end', () => {
    // An answer that was reset has an end, too.
    if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) return;
    response.end();
    // The rest of a body that was not wanted.
    request.unpipe(stream).resume();
  });
  stream.on('error', () => undefined);
  stream.on('close', () => {
    if (!response.writableEnded) response.destroy();
    request.unpipe(stream).resume();
  });
  // A server ends a session that resets too many streams.
  response.on('close', () => response.writableFinished || stream.close(constants.NGHTTP2_CANCEL));
  if (hasBody) request.pipe(stream);
}

function linesOf({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): [string, string][] {
  const lines: [string, string][] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) lines.push([(rawHeaders[i] ?? '').toLowerCase(), rawHeaders[i + 1] ?? '']);
  return lines;
}

/** What proxies do that keep `Host`: other order, other spelling, their own lines. */
async function rewritingProxy(port: number): Promise<Relay> {
  const relay = (request: IncomingMessage, response: ServerResponse): void => rewrite(port, request, response, '');
  const server = createHttpServer({ requestTimeout: 0, maxHeaderSize: 1 << 20 }, relay).on('checkContinue', relay);
  return relayOf(server, () => undefined);
}

/** A proxy that speaks HTTP/2 in front and HTTP/1.1 to the server. */
async function http2Proxy(port: number): Promise<Relay> {
  const relay = (request: Http2ServerRequest, response: Http2ServerResponse): void =>
    rewrite(
      port,
      request as unknown as IncomingMessage,
      response as unknown as ServerResponse,
      request.headers['content-length'] === undefined && !request.stream.endAfterHeaders ? 'chunked' : '',
    );
  const front = createHttp2Server({ settings: { maxHeaderListSize: 1 << 20 } }, relay).on('checkContinue', relay);
  const proxy = await relayOf(front, () => undefined);
  const before = await toHttp2(() => connectHttp2(`http://127.0.0.1:${proxy.port}`));
  return {
    port: before.port,
    async close() {
      await before.close();
      await proxy.close();
    },
  };
}

/** @param encoding of a body whose length is not known, unless its headers say it. */
function rewrite(port: number, request: IncomingMessage, response: ServerResponse, encoding: 'chunked' | ''): void {
  const host = request.headers.host ?? String(request.headers[':authority'] ?? '');
  const lines = linesOf(request).filter(([name]) => !name.startsWith(':') && name !== 'host' && name !== 'connection');
  const own: [string, string][] = [
    ['x-forwarded-for', '192.0.2.1'],
    ['x-forwarded-host', 'front.example'],
    ['x-forwarded-proto', 'http'],
    ['x-request-id', 'of-the-proxy'],
    ['x-amzn-trace-id', 'Root=1-0'],
    ['x-amz-cf-id', 'of-the-proxy'],
    ['via', '1.1 proxy'],
    ['host', host],
  ];
  const framing: [string, string][] = encoding === '' ? [] : [['transfer-encoding', encoding]];
  const upstream = httpRequest({
    port,
    host: '127.0.0.1',
    method: request.method,
    path: request.url,
    headers: [...own, ...inOtherOrder(lines), ...framing].flatMap(([name, value]) => [titled(name), value]),
  });
  upstream.on('continue', () => response.writeContinue());
  upstream.on('response', answer => {
    const headers = Object.entries(answer.headers).filter(([name]) => !hopByHop.has(name));
    response.writeHead(answer.statusCode ?? 502, Object.fromEntries(headers));
    answer.on('aborted', () => response.destroy()).pipe(response);
  });
  upstream.on('error', () => response.destroy());
  response.on('close', () => upstream.destroy());
  // The rest of a body that was not wanted: the next request follows it.
  upstream.on('close', () => request.unpipe(upstream).resume());
  request.pipe(upstream);
}

/** Lines of one name keep theirs. */
function inOtherOrder(lines: readonly [string, string][]): [string, string][] {
  const names = [...new Set(lines.map(([name]) => name))].reverse();
  return names.flatMap(name => lines.filter(([other]) => other === name));
}

function titled(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase());
}
