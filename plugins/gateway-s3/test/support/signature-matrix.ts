/** Every transport × every kind of signature and body × every operation of the table: none of the three is listed here. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { operations } from '../../src/server/operations/index.js';
import { ownerId } from '../../src/server/operations/owner.js';
import { sampleOf } from './operation-samples.js';
import { createRepository, secretAccessKey, startServer } from './server.js';
import { signers } from './signers.js';
import { tlsSettings, transports } from './transport.js';
import type { IncomingMessage } from 'node:http';
import type { Fixtures, Level, Row } from './operation-samples.js';
import type { TestServer } from './server.js';
import type { Signed, Unsigned } from './signers.js';
import type { TransportName } from './transport.js';

const table = (Object.keys(operations) as Level[]).flatMap(level =>
  (operations[level] as readonly Row[]).map(row => ({ level, row, name: `${row.name} (${level})` })),
);
const secret = secretAccessKey;
const wrongSecret = `${secretAccessKey}x`;
const refusals = ['AccessDenied', 'AuthorizationHeaderMalformed', 'InvalidAccessKeyId', 'MissingFields', 'SignatureDoesNotMatch'];

const agent = new Agent({ keepAlive: true, maxSockets: 8 });
const servers = new Map<boolean, TestServer>();

before(async () => {
  for (const tls of [false, true]) {
    const server = await startServer(tls ? tlsSettings : {});
    await createRepository(server, 'repo');
    servers.set(tls, server);
  }
});
after(async () => {
  agent.destroy();
  for (const server of servers.values()) await server.stop();
});

interface Outcome {
  readonly status: number;
  /** `Code` of an error. */
  readonly code: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function send(port: number, { method, url, headers, body }: Signed): Promise<Outcome> {
  const framing = body ? { 'content-length': String(body.length) } : {};
  const outgoing = httpRequest({ agent, port, host: '127.0.0.1', method, path: url, headers: { ...headers, ...framing } });
  outgoing.end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  const received = await text(answer);
  const code = /<Code>([^<]*)<\/Code>/.exec(received)?.[1] ?? '';
  return { status: answer.statusCode ?? 0, code, headers: answer.headers, body: received };
}

const put = (key: string): Unsigned => ({ method: 'PUT', path: `/repo/${key}`, query: [], headers: {}, body: Buffer.from('content') });

/** @param host the client connects to and signs. */
const clientOf = (port: number, host = `127.0.0.1:${port}`) => ({
  ask: (request: Unsigned, kind = signers[0]) => {
    assert.ok(kind);
    return send(port, kind.sign(request, { host, secret }));
  },
  askWrongly: (request: Unsigned, kind: (typeof signers)[number]) => send(port, kind.sign(request, { host, secret: wrongSecret })),
});

type Client = ReturnType<typeof clientOf>;

async function fixturesOf({ kernel }: TestServer, { ask }: Client, key: string): Promise<Fixtures> {
  const { ETag: etag = '' } = { ETag: (await ask(put('main/there'))).headers.etag };
  assert.notEqual(etag, '');
  const begun = await ask({ ...put(key), method: 'POST', query: [['uploads', '']], body: Buffer.alloc(0) });
  const uploadId = /<UploadId>([^<]*)</.exec(begun.body)?.[1] ?? assert.fail(begun.body);
  const query: Unsigned['query'] = [
    ['uploadId', uploadId],
    ['partNumber', '1'],
  ];
  const part = await ask({ ...put(key), query });
  const owner = ownerId(kernel.services.get('identity'));
  return { object: 'repo/main/there', upload: { key, uploadId, etag: part.headers.etag ?? '' }, owner };
}

const plain: Omit<Fixtures, 'owner'> = { object: 'repo/main/there', upload: { key: '', uploadId: '', etag: '' } };

interface Chosen {
  /** Which combinations are tried, by the place of each part in its list. */
  combination(transport: number, kind: number, operation: number): boolean;
  /** Of these, which are also tried with a wrong secret. */
  withWrongSecret(operation: number): boolean;
}

export function testMatrix({ combination, withWrongSecret }: Chosen): void {
  for (const [t, name] of (Object.keys(transports) as TransportName[]).entries()) {
    describe(name, () => {
      let port: number;
      before(async () => {
        const server = servers.get(transports[name].tls) ?? assert.fail('the server runs');
        port = await server.over(name);
        assert.equal((await clientOf(port).ask(put('main/there'))).status, 200);
      });
      for (const [k, kind] of signers.entries()) {
        test(kind.name, async () => {
          for (const [o, operation] of table.entries())
            if (combination(t, k, o)) await check({ name, port, kind }, operation, withWrongSecret(o));
        });
      }
    });
  }
}

/** What an operation answers to its sample request: the same for everybody who may do everything. */
const expected = new Map<string, Pick<Outcome, 'status' | 'code'>>();

interface Way {
  readonly name: TransportName;
  readonly port: number;
  readonly kind: (typeof signers)[number];
}

async function check(
  { name, port, kind }: Way,
  { level, row, name: operation }: (typeof table)[number],
  alsoWrongly: boolean,
): Promise<void> {
  const server = servers.get(transports[name].tls) ?? assert.fail('the server runs');
  const client = clientOf(port);
  const key = `main/upload-of-${row.name}`;
  const owner = ownerId(server.kernel.services.get('identity'));
  const fixtures = row.query === 'uploadId' ? await fixturesOf(server, client, key) : { ...plain, owner };
  const sample = sampleOf(level, row, fixtures, 'a%20b%2Bc%C3%BC');
  if (kind.needsBody && sample.body === undefined) return;
  const outcome = await client.ask(sample, kind);
  const what = `${operation}: ${outcome.status} ${outcome.body}`;
  assert.ok(outcome.status !== 403 && outcome.status !== 401 && !refusals.includes(outcome.code), what);
  const { status, code } = expected.get(operation) ?? outcome;
  expected.set(operation, { status, code });
  assert.deepEqual([outcome.status, outcome.code], [status, code], what);
  if (!alsoWrongly) return;
  const wrong = await client.askWrongly(sample, kind);
  assert.deepEqual([wrong.status, wrong.code], [403, row.method === 'HEAD' ? '' : 'SignatureDoesNotMatch'], operation);
}
