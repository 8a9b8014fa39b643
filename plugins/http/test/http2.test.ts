import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '@srv/kernel/testing';
import { Door } from './support/door.js';
import { start } from './support/server.js';
import type { ClientHttp2Session, OutgoingHttpHeaders } from 'node:http2';
import type { Started } from './support/server.js';

const fixture = (name: string): string => fileURLToPath(new URL(`../../test/fixtures/${name}`, import.meta.url));
const settings = { 'tls.enabled': true, 'tls.cert_file': fixture('test-only-cert.pem'), 'tls.key_file': fixture('test-only-key.pem') };

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

async function ask(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: string): Promise<Answer> {
  const stream = session.request(headers);
  stream.end(body);
  const [answered] = (await once(stream, 'response')) as [Record<string, unknown>];
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return { status: Number(answered[':status']), headers: answered, text: Buffer.concat(chunks).toString('utf8') };
}

/** @param door between the first word of `/slow` and the last. */
const serve = (door: Door): Promise<Started> =>
  start(hooks => {
    hooks.routes.tap('test', server => {
      server.route({ method: 'GET', path: '/host', handler: request => ({ host: request.raw.req.headers.host, at: request.info.host }) });
      server.route({ method: 'GET', path: '/lines', handler: request => request.raw.req.rawHeaders });
      server.route({ method: 'GET', path: '/slow', handler: () => Readable.from(wordsAround(door), { objectMode: false }) });
      server.route({
        method: 'POST',
        path: '/echo',
        options: { payload: { parse: false, output: 'stream', maxBytes: Number.MAX_SAFE_INTEGER } },
        handler: request => Readable.from(request.raw.req, { objectMode: false }),
      });
    });
  }, settings);

async function* wordsAround(door: Door): AsyncGenerator<string> {
  yield 'first ';
  yield await door.pass('last');
}

describe('HTTP/2', () => {
  const door = new Door();
  let server: Started;
  let session: ClientHttp2Session;
  before(async () => {
    server = await serve(door);
    session = connect(server.address.url, { rejectUnauthorized: false });
  });
  after(async () => {
    session.close();
    await server.kernel.stop();
  });

  it('answers many requests on one connection', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(session, { ':path': '/host' })));
    for (const { status, headers, text } of answers) {
      assert.equal(status, 200);
      assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
      assert.deepEqual(JSON.parse(text), { host: new URL(server.address.url).host, at: new URL(server.address.url).host });
    }
    assert.equal(new Set(answers.map(({ headers }) => headers['x-request-id'])).size, 50);
    assert.equal((await ask(session, { ':path': '/none' })).status, 404);
    await until(() => server.lines.filter(({ level, fields }) => level === 'audit' && fields.path === '/host').length === 50);
  });

  it('answers OPTIONS of the whole server', async () => {
    assert.equal((await ask(session, { ':method': 'OPTIONS', ':path': '*' })).status, 204);
  });

  it('has one name for the host, also among the raw lines', async () => {
    const host = new URL(server.address.url).host;
    const lines = JSON.parse((await ask(session, { ':path': '/lines' })).text) as string[];
    assert.equal(lines[lines.indexOf('host') + 1], host);
    assert.equal((await ask(session, { ':path': '/host', ':authority': host, host })).status, 200);
    const other = await ask(session, { ':path': '/host', ':authority': host, host: 'other.example' });
    assert.equal(other.status, 400);
    assert.match(other.text, /differs from :authority/);
  });

  it('knows the expectation of a body in any spelling', async () => {
    for (const expect of ['100-continue', '100-Continue']) {
      const stream = session.request({ ':method': 'POST', ':path': '/echo', expect });
      await once(stream, 'continue');
      stream.end('content');
      const [answered] = (await once(stream, 'response')) as [Record<string, unknown>];
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      assert.deepEqual([answered[':status'], Buffer.concat(chunks).toString()], [200, 'content'], expect);
    }
    assert.equal((await ask(session, { ':path': '/host', expect: 'the unexpected' })).status, 417);
  });

  it('takes and sends bodies', async () => {
    const body = 'x'.repeat(1_000_000);
    const echoed = await ask(session, { ':method': 'POST', ':path': '/echo' }, body);
    assert.ok(echoed.text === body, `${echoed.status}, ${echoed.text.length} bytes`);
    assert.equal((await ask(session, { ':path': `/host?q=${'x'.repeat(60_000)}` })).status, 200);
  });

  it('survives a client disconnect', async () => {
    const stream = session.request({ ':path': '/slow' });
    await once(stream, 'response');
    stream.close();
    // A stream with unread words keeps its connection.
    stream.resume();
    const lines = () => server.lines.filter(({ fields }) => fields.path === '/slow');
    await until(() => lines().length > 0);
    door.open();
    assert.equal((await ask(session, { ':path': '/host' })).status, 200);
    assert.deepEqual(
      lines().map(({ fields }) => fields.status_code),
      [499],
    );
  });

  it('leaves HTTP/1.1 to those who speak that', async () => {
    const outgoing = httpsRequest(`${server.address.url}/host`, { rejectUnauthorized: false });
    outgoing.end();
    const [response] = (await once(outgoing, 'response')) as [Readable & { httpVersion: string; statusCode: number }];
    response.resume();
    assert.deepEqual([response.httpVersion, response.statusCode], ['1.1', 200]);
  });

  it('finishes open requests before it stops', async () => {
    const closed = new Door();
    const other = await serve(closed);
    const second = connect(other.address.url, { rejectUnauthorized: false });
    const open = ask(second, { ':path': '/slow' });
    await until(() => closed.waiting > 0);
    const stopping = other.kernel.stop();
    setTimeout(() => closed.open(), 50);
    await stopping;
    assert.equal((await open).text, 'first last');
    assert.equal(second.closed || second.destroyed, true);
  });
});
