/** Requests that a plugin takes by `rawRequest` and answers through the service, over both versions of the protocol. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { SrvError } from '@srv/kernel';
import { until } from '@srv/kernel/testing';
import { start } from './support/server.js';
import type { HttpResponse, RawExchange } from '../src/contract.js';
import type { Started } from './support/server.js';

const fixture = (name: string): string => fileURLToPath(new URL(`../../test/fixtures/${name}`, import.meta.url));
const settings = { 'tls.enabled': true, 'tls.cert_file': fixture('test-only-cert.pem'), 'tls.key_file': fixture('test-only-key.pem') };

async function* broken(): AsyncGenerator<string> {
  yield 'begin ';
  throw new Error('disk on fire');
}

const answers: Readonly<Record<string, (exchange: RawExchange) => Promise<HttpResponse> | HttpResponse>> = {
  '/raw/a//b%2Fc': () => ({ status: 200, body: 'kept' }),
  '/raw/stream': () => ({
    status: 207,
    headers: { 'Content-Type': 'text/plain' },
    body: Readable.from(['first ', 'last'], { objectMode: false }),
  }),
  '/raw/broken': () => ({ status: 200, body: Readable.from(broken(), { objectMode: false }) }),
  '/raw/head': () => ({ status: 200, headers: { 'Content-Length': '12345' } }),
  '/raw/refused': () => {
    throw new SrvError('denied', 'not you');
  },
  '/raw/elsewhere': () => {
    throw new RangeError('another server is meant');
  },
  '/raw/fault': () => {
    throw new Error('disk on fire');
  },
  async '/raw/body'({ request, response }) {
    if (request.headers.expect !== undefined) response.writeContinue();
    const pieces = await request.toArray();
    return { status: 200, body: `${Buffer.concat(pieces as Buffer[]).length} bytes` };
  },
  '/raw/unread': () => ({ status: 413, body: 'too much' }),
};

let server: Started;
before(async () => {
  server = await start((hooks, services) => {
    hooks.rawRequest.tap('test', raw => {
      const { url = '' } = raw.request;
      const answer = answers[url];
      if (!answer) return undefined;
      void services.get('http').serve(raw, {
        service: 'face',
        async handle(exchange) {
          exchange.name('FaceOperation');
          exchange.user = 'ann';
          return answer(exchange);
        },
        failed: (error, { status, message }) =>
          error instanceof RangeError
            ? { status: 502, body: error.message }
            : { status: status === 401 ? 403 : status, body: `refused: ${message}` },
        isRefusal: error => error instanceof RangeError,
      });
      return true;
    });
  }, settings);
});
after(() => server.kernel.stop());

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly isWhole: boolean;
}

function* inPieces(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += 65_536) yield body.subarray(at, at + 65_536);
}

async function ask2(
  path: string,
  { method = 'GET', body, expect }: { method?: string; body?: Buffer; expect?: boolean } = {},
): Promise<Answer> {
  const session = connect(server.address.url, { rejectUnauthorized: false });
  try {
    const stream = session.request({ ':path': path, ':method': method, ...(expect ? { expect: '100-continue' } : {}) });
    let isWhole = true;
    stream.on('error', () => {
      isWhole = false;
    });
    const answered = once(stream, 'response') as Promise<[Record<string, unknown>]>;
    // In pieces: a session holds no more than some mebibytes.
    Readable.from(inPieces(body ?? Buffer.alloc(0)), { objectMode: false }).pipe(stream);
    const [headers] = await answered;
    const pieces: Buffer[] = [];
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    await new Promise(resolve => stream.once('close', resolve));
    return { status: Number(headers[':status']), text: Buffer.concat(pieces).toString(), isWhole };
  } finally {
    session.close();
  }
}

/** The bytes of an answer over HTTP/1.1, to the end of the connection. */
async function ask1(lines: readonly string[], body = Buffer.alloc(0)): Promise<string> {
  const { port } = new URL(server.address.url);
  const socket = connectTls({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
  const pieces: Buffer[] = [];
  socket.on('data', (piece: Buffer) => pieces.push(piece));
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  await once(socket, 'secureConnect');
  socket.write(`${[...lines, 'Host: x', 'Connection: close'].join('\r\n')}\r\n\r\n`);
  socket.write(body);
  await closed;
  return Buffer.concat(pieces).toString('latin1');
}

describe('a request that a plugin takes', () => {
  it('has its path as it was sent', async () => {
    assert.equal((await ask2('/raw/a//b%2Fc')).text, 'kept');
    assert.match(await ask1(['GET /raw/a//b%2Fc HTTP/1.1']), /\r\n\r\nkept$/);
  });

  it('may be answered by a stream of unknown length', async () => {
    assert.deepEqual(await ask2('/raw/stream'), { status: 207, text: 'first last', isWhole: true });
    const text = await ask1(['GET /raw/stream HTTP/1.1']);
    assert.match(text, /^HTTP\/1.1 207 /);
    assert.match(text, /Transfer-Encoding: chunked/i);
    assert.ok(text.endsWith('0\r\n\r\n'), text);
  });

  it('is cut off when the stream fails, and the failure is logged', async () => {
    assert.equal((await ask2('/raw/broken')).isWhole, false);
    assert.ok(!(await ask1(['GET /raw/broken HTTP/1.1'])).endsWith('0\r\n\r\n'));
    await until(() => server.lines.some(({ fields }) => String(fields['error']).includes('disk on fire')));
  });

  it('has no body after HEAD, and keeps the announced length', async () => {
    assert.match(await ask1(['HEAD /raw/head HTTP/1.1']), /Content-Length: 12345\r\n(?:.+\r\n)*\r\n$/);
    assert.deepEqual(await ask2('/raw/head', { method: 'HEAD' }), { status: 200, text: '', isWhole: true });
    assert.match(await ask1(['HEAD /raw/stream HTTP/1.1']), /\r\n\r\n$/);
  });

  it('shows failures in the words of its face; faults of the server are logged', async () => {
    assert.deepEqual(await ask2('/raw/refused'), { status: 403, text: 'refused: not you', isWhole: true });
    assert.deepEqual(await ask2('/raw/fault'), { status: 500, text: 'refused: internal server error', isWhole: true });
    assert.ok(server.lines.some(({ level, message }) => level === 'error' && message === 'request failed'));
  });

  it('may be refused with a status from 500 on, which is not logged as a fault', async () => {
    assert.deepEqual(await ask2('/raw/elsewhere'), { status: 502, text: 'another server is meant', isWhole: true });
    await until(() => server.lines.some(({ fields }) => fields['path'] === '/raw/elsewhere'));
    assert.ok(server.lines.every(({ level, fields }) => level !== 'error' || fields['path'] !== '/raw/elsewhere'));
  });

  it('reads its body when it asks for it', async () => {
    const body = Buffer.alloc(200_000);
    for (const expect of [true, false]) assert.equal((await ask2('/raw/body', { method: 'PUT', body, expect })).text, '200000 bytes');
    const text = await ask1(['PUT /raw/body HTTP/1.1', 'Expect: 100-continue', 'Content-Length: 200000'], body);
    assert.match(text, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /);
  });

  it('is answered before its body is read', async () => {
    assert.equal((await ask2('/raw/unread', { method: 'PUT', body: Buffer.alloc(20_000_000) })).status, 413);
    assert.match(
      await ask1(['PUT /raw/unread HTTP/1.1', 'Content-Length: 20000000'], Buffer.alloc(20_000_000)),
      /^HTTP\/1.1 413 .*too much$/s,
    );
  });

  it('has an audit line that names the face, the operation and the user', async () => {
    await ask2('/raw/head');
    await until(() => server.lines.some(({ fields }) => fields['path'] === '/raw/head'));
    const line = server.lines.findLast(({ fields }) => fields['path'] === '/raw/head');
    assert.deepEqual(
      [line?.fields['service_name'], line?.fields['operation_id'], line?.fields['user'], line?.fields['status_code']],
      ['face', 'FaceOperation', 'ann', 200],
    );
  });
});
