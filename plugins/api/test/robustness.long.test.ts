/** Whatever is sent, the server answers soon and reveals nothing about its internals. */
import assert from 'node:assert/strict';
import { Agent, request as send } from 'node:http';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { operationList } from './support/operations.js';
import { adminKey } from './support/server.js';
import { startWholeServer } from './support/whole-server.js';
import { wildRequestOf } from './support/wild-requests.js';
import type { WholeServer } from './support/whole-server.js';
import type { WildRequest } from './support/wild-requests.js';

const count = 20_000;
/** Requests under way at a time. */
const parallel = 32;
/** Milliseconds. */
const timeoutMs = 60_000;
const seed = Number(process.env.SRV_TEST_SEED ?? Date.now() % 2 ** 31);

/** What no caller may read: places in the program, its folders, errors of the runtime. */
const internals =
  /node_modules|\/dist\/|\.js:\d|\bat [\w.<>]+ \(|TypeError|RangeError|SyntaxError|ReferenceError|ENOENT|EISDIR|ENAMETOOLONG|Cannot read propert|is not a function|is not iterable/;

interface Answer {
  readonly status: number;
  readonly text: string;
}

describe('wild requests', () => {
  let server: WholeServer;
  let agent: Agent;
  before(async () => {
    server = await startWholeServer({ store: 'mem', mode: 'internal' });
    agent = new Agent({ keepAlive: true, maxSockets: parallel });
    const { admin } = server;
    await admin.createRepository({ body: { name: 'lakes', storage_namespace: 'mem://bucket/lakes' } });
    for (const path of ['a/1', 'a/2', 'b', 'x//y/', 'ü'])
      await admin.uploadObject({ repository: 'lakes', branch: 'main', path, body: path });
    await admin.commit({ repository: 'lakes', branch: 'main', body: { message: 'data' } });
    await admin.createBranch({ repository: 'lakes', body: { name: 'dev', source: 'main' } });
    await admin.createTag({ repository: 'lakes', body: { id: 'v1', ref: 'main' } });
  });
  after(async () => {
    agent.destroy();
    await server.stop();
  });

  function perform({ method, target, headers, body }: WildRequest): Promise<Answer> {
    const { hostname, port } = new URL(server.url);
    const authorization = `Basic ${Buffer.from(`${adminKey.accessKeyId}:${adminKey.secretAccessKey}`).toString('base64')}`;
    return new Promise((resolve, reject) => {
      const outgoing = send(
        { agent, hostname, port, method, path: target, headers: { authorization, ...headers }, timeout: timeoutMs },
        response => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('latin1') }));
          response.on('error', reject);
        },
      );
      outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${timeoutMs} ms`)));
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  function judge({ operation, method, target }: WildRequest, { status, text }: Answer): void {
    const documented = status === 501 && operation.failures?.includes(501) === true;
    assert.ok(status < 500 || documented, `status ${status}: ${text}`);
    // What was sent may come back in a message.
    const leak = status < 400 ? null : internals.exec(text);
    assert.ok(leak === null || decodeURIComponentSafe(target).includes(leak[0]), `reveals ${leak?.[0]}: ${text}`);
    if (status >= 400 && method !== 'HEAD' && text !== '') {
      const body = JSON.parse(text) as { message?: unknown; reference?: unknown };
      assert.ok(typeof body.message === 'string' || typeof body.reference === 'string', text);
    }
  }

  it(`answers ${count} of them (seed ${seed})`, async () => {
    const requests = fc.sample(wildRequestOf(operationList), { numRuns: count, seed }).values();
    const statuses = new Map<number, number>();
    const problems: string[] = [];
    const work = async (): Promise<void> => {
      for (const request of requests) {
        if (problems.length >= 10) return;
        try {
          const answer = await perform(request);
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          judge(request, answer);
        } catch (error) {
          // An archive ends early at an object that other requests have staged without its bytes.
          if (request.operation.operationId === 'getObjectsArchive' && error instanceof Error && error.message === 'aborted') continue;
          problems.push(`${show(request)}\n  ${error instanceof Error ? error.message : String(error)}`);
        }
      }
    };
    await Promise.all(Array.from({ length: parallel }, work));
    assert.deepEqual(problems, [], `seed ${seed}`);
    // Otherwise the requests would stop at the door.
    const good = [...statuses].reduce((sum, [status, times]) => sum + (status < 300 ? times : 0), 0);
    assert.ok(good > count / 10, `only ${good} of ${count} requests succeeded: ${JSON.stringify([...statuses])}`);
  });
});

function decodeURIComponentSafe(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function show({ method, target, headers, body }: WildRequest): string {
  return `${method} ${target.slice(0, 300)} ${JSON.stringify(headers)} ${body?.toString('latin1').slice(0, 300) ?? ''}`;
}
