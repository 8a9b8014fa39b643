/** Past the framework requests are answered as they are by it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request as send } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { runCount } from '@srv/kernel/testing';
import fc from 'fast-check';
import { operationList } from './support/operations.js';
import { basic } from './support/raw.js';
import { startWholeServer } from './support/whole-server.js';
import { wildRequestOf } from './support/wild-requests.js';
import type { IncomingMessage } from 'node:http';
import type {} from '@srv/auth/contract';
import type { WholeServer } from './support/whole-server.js';

const seed = Number(process.env.SRV_TEST_SEED ?? Date.now() % 2 ** 31);
const wildCount = runCount(400, 2000);
const base = '/api/v1/repositories/lakes';
const nobody = 'Basic bm9ib2R5Om5vdGhpbmc=';

interface Sent {
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | undefined;
}

interface Received {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** The framework looks at this header, and finds no date in it. */
const throughFramework = { 'if-modified-since': 'never' };
/** Differ from one answer to the next. */
const passing = ['date', 'x-lakefs-mailbox', 'x-request-id'];

describe('direct routes', () => {
  let server: WholeServer;
  let agent: Agent;
  before(async () => {
    server = await startWholeServer({ mode: 'internal', store: 'mem' });
    agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const { admin } = server;
    await admin.createRepository({ body: { name: 'lakes', storage_namespace: 'mem://bucket/lakes' } });
    const contents = { 'a/1': 'one', 'a/2': 'two', b: 'b'.repeat(300_000), 'x//y/': 'odd', ü: 'umlaut', empty: '' };
    for (const [path, body] of Object.entries(contents)) await admin.uploadObject({ repository: 'lakes', branch: 'main', path, body });
    await admin.commit({ repository: 'lakes', branch: 'main', body: { message: 'data' } });
    await admin.createBranch({ repository: 'lakes', body: { name: 'dev', source: 'main' } });
    await admin.createBranch({ repository: 'lakes', body: { name: 'guarded', source: 'main' } });
    await admin.createTag({ repository: 'lakes', body: { id: 'v1', ref: 'main' } });
    server.kernel.hooks.guardBranch.tap('test', ({ branch, block }) => void (branch === 'guarded' && block()));
    await admin.createUser({ body: { id: 'nobody' } });
    await server.kernel.services.get('auth').createCredential('nobody', { accessKeyId: 'nobody', secretAccessKey: 'nothing' });
  });
  after(async () => {
    agent.destroy();
    await server.stop();
  });

  function ask({ method, target, headers = {}, body }: Sent): Promise<IncomingMessage & { text: string }> {
    const { hostname, port } = new URL(server.url);
    const length = body === undefined || 'transfer-encoding' in headers ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    return new Promise((resolve, reject) => {
      const all = { authorization: basic, ...length, ...headers };
      const outgoing = send({ agent, hostname, port, method, path: target, headers: all }, response => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(Object.assign(response, { text: Buffer.concat(chunks).toString('latin1') })));
        response.on('error', reject);
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  function shown({ statusCode, headers, text }: IncomingMessage & { text: string }): Received {
    // Every login from a terminal is another one.
    const lasting = Object.entries(headers)
      .filter(([name]) => !passing.includes(name))
      .map(([name, value]) => [name, name === 'location' ? String(value).replace(/request=[^&]*/, 'request=') : value] as const);
    // Two uploads make two objects, maybe in different seconds.
    const stable = text.replace(/"physical_address":"[^"]*"/, '"physical_address":""').replace(/"mtime":\d+/, '"mtime":0');
    const brief = stable.length > 1000 ? `${stable.length} bytes, MD5 ${createHash('md5').update(stable).digest('hex')}` : stable;
    return { status: statusCode, headers: Object.fromEntries(lasting), text: brief };
  }

  /** Framework and runtime spell names of headers differently. */
  const isDirect = ({ rawHeaders }: IncomingMessage): boolean => rawHeaders.includes('Cache-Control');

  async function compare(sent: Sent): Promise<IncomingMessage> {
    const direct = await ask(sent);
    const other = await ask({ ...sent, headers: { ...sent.headers, ...throughFramework } });
    assert.ok(!isDirect(other), `${sent.target}: went past the framework`);
    assert.deepEqual(shown(direct), shown(other), `${sent.method} ${sent.target} ${JSON.stringify(sent.headers ?? {})}`);
    return direct;
  }

  const refs = `${base}/refs/main/objects`;
  const uploads = `${base}/branches/dev/objects`;
  const json = (method: string, target: string, body: string): Sent => ({
    method,
    target,
    body,
    headers: { 'content-type': 'application/json' },
  });
  const plain: Readonly<Record<string, readonly [status: number, Sent]>> = {
    'a stat': [200, { method: 'GET', target: `${refs}/stat?path=a/1` }],
    'a stat of an encoded path': [200, { method: 'GET', target: `${refs}/stat?path=x%2F%2fy/&presign=false` }],
    'a stat of a path beyond ASCII': [200, { method: 'GET', target: `${refs}/stat?path=%C3%BC` }],
    'a stat at an encoded ref': [200, { method: 'GET', target: `${base}/refs/main%7E0/objects/stat?path=a/1` }],
    'a stat at a ref that is escaped twice': [200, { method: 'GET', target: `${base}/refs/main%257E0/objects/stat?path=a/1` }],
    'a stat of what is missing': [404, { method: 'GET', target: `${refs}/stat?path=none` }],
    'a stat at a missing ref': [404, { method: 'GET', target: `${base}/refs/none/objects/stat?path=a/1` }],
    'a stat in a missing repository': [404, { method: 'GET', target: '/api/v1/repositories/none/refs/main/objects/stat?path=a' }],
    'a stat without a path': [400, { method: 'GET', target: `${refs}/stat` }],
    'a stat with a bad flag': [400, { method: 'GET', target: `${refs}/stat?path=a&presign=perhaps` }],
    'a stat with two paths': [200, { method: 'GET', target: `${refs}/stat?path=a/1&path=b` }],
    'an unauthenticated stat': [401, { method: 'GET', target: `${refs}/stat?path=a/1`, headers: { authorization: nobody } }],
    'a stat with a bad session': [
      401,
      { method: 'GET', target: `${refs}/stat?path=a/1`, headers: { authorization: '', cookie: 'access_token=x' } },
    ],
    'a stat with a signed address': [400, { method: 'GET', target: `${refs}/stat?path=a/1&presign=true` }],
    'an object': [200, { method: 'GET', target: `${refs}?path=a/1` }],
    'a large object': [200, { method: 'GET', target: `${refs}?path=b` }],
    'an empty object': [200, { method: 'GET', target: `${refs}?path=empty` }],
    'a range': [206, { method: 'GET', target: `${refs}?path=b`, headers: { range: 'bytes=5-100000' } }],
    'a range of the wrong version': [
      200,
      { method: 'GET', target: `${refs}?path=a/1`, headers: { range: 'bytes=1-1', 'if-range': '"x"' } },
    ],
    'a range outside': [416, { method: 'GET', target: `${refs}?path=a/1`, headers: { range: 'bytes=50-' } }],
    'a bad range': [416, { method: 'GET', target: `${refs}?path=a/1`, headers: { range: 'lines=5' } }],
    'an unchanged object': [304, { method: 'GET', target: `${refs}?path=a/1`, headers: { 'if-none-match': '*' } }],
    'facts about an object': [200, { method: 'HEAD', target: `${refs}?path=a/1` }],
    'facts about a range': [206, { method: 'HEAD', target: `${refs}?path=b`, headers: { range: 'bytes=1-2' } }],
    'facts about an unchanged object': [304, { method: 'HEAD', target: `${refs}?path=a/1`, headers: { 'if-none-match': '*' } }],
    'facts about nothing': [404, { method: 'HEAD', target: `${refs}?path=none` }],
    'a list': [200, { method: 'GET', target: `${refs}/ls` }],
    'a page of folders': [200, { method: 'GET', target: `${refs}/ls?delimiter=/&amount=2&after=a/` }],
    'a list that asks for too much': [400, { method: 'GET', target: `${refs}/ls?amount=many` }],
    'an upload': [201, { method: 'POST', target: `${uploads}?path=up/1`, body: 'some bytes' }],
    'an upload of nothing': [201, { method: 'POST', target: `${uploads}?path=up/2`, body: '' }],
    'an upload in pieces': [
      201,
      { method: 'POST', target: `${uploads}?path=up/3`, body: 'more bytes', headers: { 'transfer-encoding': 'chunked' } },
    ],
    'an upload with a type and metadata': [
      201,
      {
        method: 'POST',
        target: `${uploads}?path=up/4`,
        body: '{}',
        headers: { 'content-type': 'application/json; charset=utf-8', 'x-lakefs-meta-by': 'me' },
      },
    ],
    'an upload over something': [412, { method: 'POST', target: `${uploads}?path=a/1`, body: 'x', headers: { 'if-none-match': '*' } }],
    'an upload with an odd condition': [
      501,
      { method: 'POST', target: `${uploads}?path=a/1`, body: 'x', headers: { 'if-none-match': '"x"' } },
    ],
    'an upload to nowhere': [404, { method: 'POST', target: `${base}/branches/none/objects?path=x`, body: 'x'.repeat(100_000) }],
    'an upload to a protected branch': [403, { method: 'POST', target: `${base}/branches/guarded/objects?path=x`, body: 'x' }],
    'a branch': [200, { method: 'GET', target: `${base}/branches/dev` }],
    'a missing branch': [404, { method: 'GET', target: `${base}/branches/none` }],
    'a page of branches': [200, { method: 'GET', target: `${base}/branches?amount=1` }],
    'who asks': [200, { method: 'GET', target: '/api/v1/user' }],
    'a commit without changes': [400, json('POST', `${base}/branches/main/commits`, '{"message":"nothing"}')],
    'a commit without a message': [400, json('POST', `${base}/branches/main/commits`, '{}')],
    'a commit without a body': [400, { method: 'POST', target: `${base}/branches/main/commits` }],
    'a commit that is not JSON': [400, json('POST', `${base}/branches/main/commits`, '{"message":')],
    'a commit with a prototype': [400, json('POST', `${base}/branches/main/commits`, '{"__proto__":{"message":"x"}}')],
    'a commit that is not UTF-8': [
      400,
      {
        ...json('POST', `${base}/branches/main/commits`, ''),
        body: Buffer.from('{"message":"nothing","metadata":{"a\xff":"x"}}', 'latin1'),
      },
    ],
    'a commit with half of a character': [400, json('POST', `${base}/branches/main/commits`, '{"message":"\\ud800"}')],
    'a commit that ends within a character': [
      400,
      { ...json('POST', `${base}/branches/main/commits`, ''), body: Buffer.from('{"message":"nothing"}\xc3', 'latin1') },
    ],
    'a commit that is too large': [413, json('POST', `${base}/branches/main/commits`, `{"message":"${'x'.repeat(3 << 20)}"}`)],
    'a commit in pieces': [
      400,
      {
        ...json('POST', `${base}/branches/main/commits`, '{"message":"nothing"}'),
        headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      },
    ],
    'metadata that is replaced': [
      204,
      json('PUT', `${refs.replace('/refs/', '/branches/')}/stat/user_metadata?path=a/1`, '{"set":{"k":"v"}}'),
    ],
    'a deletion of what is missing': [204, { method: 'DELETE', target: `${uploads}?path=none` }],
    'an unauthenticated upload': [401, { method: 'POST', target: `${uploads}?path=x`, body: 'x', headers: { authorization: nobody } }],
  };

  for (const [what, [status, sent]] of Object.entries(plain)) {
    it(`answer ${what}`, async () => {
      const direct = await compare(sent);
      assert.ok(isDirect(direct), 'it went through the framework');
      assert.equal(direct.statusCode, status);
    });
  }

  const other: Readonly<Record<string, Sent>> = {
    'a form': {
      method: 'POST',
      target: `${uploads}?path=form`,
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: '--x\r\nContent-Disposition: form-data; name="content"; filename="f"\r\n\r\nbytes\r\n--x--\r\n',
    },
    'a body of another type': {
      method: 'POST',
      target: `${base}/branches/main/commits`,
      headers: { 'content-type': 'text/plain' },
      body: '{}',
    },
    'an invalid type': { method: 'POST', target: `${uploads}?path=x`, headers: { 'content-type': 'nonsense' }, body: 'x' },
    'a path to be cleaned': { method: 'GET', target: `${base}/refs/../objects/stat?path=a/1` },
    'a segment that cannot be decoded': { method: 'GET', target: `${base}/refs/%zz/objects/stat?path=a/1` },
    'a read with a body': { method: 'GET', target: `${refs}/stat?path=a/1`, body: 'why' },
    'another method': { method: 'DELETE', target: `${refs}?path=a/1` },
    'a deletion with a body': { method: 'DELETE', target: `${uploads}?path=none`, body: 'why' },
  };
  for (const [what, sent] of Object.entries(other)) {
    it(`leave ${what} to the framework`, async () => {
      assert.ok(!isDirect(await compare(sent)), 'it went past the framework');
    });
  }

  it(`answer ${wildCount} wild requests as the framework does (seed ${seed})`, async () => {
    const wild = wildRequestOf(
      operationList.filter(({ method, operationId }) => method === 'GET' || method === 'HEAD' || operationId === 'uploadObject'),
    );
    let direct = 0;
    for (const request of fc.sample(wild, { numRuns: wildCount, seed })) {
      const { method, target, body } = request;
      const isWrite = method === 'POST';
      // A write that must be the first cannot be repeated.
      const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !(isWrite && name === 'if-none-match')));
      if (isDirect(await compare({ method, target, headers, body: isWrite ? body : undefined }))) direct++;
    }
    assert.ok(direct > wildCount / 3, `only ${direct} went past the framework`);
  });

  it('leave out what cannot be put into a header', async () => {
    const contentType = 'text/plain\r\nX-Evil: 1';
    await server.kernel.services.get('engine').putObject('lakes', 'dev', 'strange', Buffer.from('x'), { contentType });
    const direct = await ask({ method: 'GET', target: `${base}/refs/dev/objects?path=strange` });
    assert.ok(isDirect(direct));
    assert.deepEqual([direct.statusCode, direct.headers['content-type'], direct.text], [200, 'text/plainX-Evil: 1', 'x']);
    assert.ok(!('x-evil' in direct.headers));
    assert.equal((await ask({ method: 'GET', target: `${refs}/stat?path=a/1` })).statusCode, 200);
  });

  it('answer requests that come in one go in their order', async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const paths = ['a/1', 'a/2', 'ü', 'none', 'a/1'];
    const head = (path: string, i: number): string =>
      `GET ${refs}/stat?path=${encodeURIComponent(path)} HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic}\r\n${i === paths.length - 1 ? 'Connection: close\r\n' : ''}\r\n`;
    socket.write(paths.map(head).join(''));
    let received = '';
    socket.on('data', chunk => {
      received += chunk.toString();
    });
    await once(socket, 'close');
    assert.deepEqual(
      [...received.matchAll(/"path":"([^"]+)"|not found/g)].map(([all, path]) => path ?? all),
      ['a/1', 'a/2', 'ü', 'not found', 'a/1'],
    );
  });

  it('survive callers who leave at any moment', async () => {
    const { hostname, port } = new URL(server.url);
    const leave = async (delay: number): Promise<void> => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      const head = (method: string, target: string): string => `${method} ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic}\r\n`;
      socket.write(`${head('GET', `${base}/refs/v1/objects?path=b`)}\r\n`.repeat(3));
      socket.write(`${head('POST', `${uploads}?path=left`)}Content-Length: 100000\r\n\r\nhalf of it`);
      await new Promise(resolve => setTimeout(resolve, delay));
      socket.resetAndDestroy();
    };
    for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 10 }, (_, i) => leave(i)));
    assert.equal((await ask({ method: 'GET', target: `${base}/refs/v1/objects?path=b` })).text.length, 300_000);
    assert.equal((await ask({ method: 'GET', target: `${base}/refs/dev/objects/stat?path=left` })).statusCode, 404);
  });
});
