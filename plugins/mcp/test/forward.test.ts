/** What `cli mcp` makes of lines. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { until } from '@srv/kernel/testing';
import { freePort } from '@srv/test-servers';
import { forward } from '../src/cli/mcp.js';
import { authorization, startMcp } from './support/server.js';
import type { AddressInfo } from 'node:net';
import type { McpServer } from './support/server.js';

let server: McpServer;
before(async () => {
  server = await startMcp();
});
after(() => server.stop());

interface Answer {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** In the order in which they come. */
async function answersTo(lines: readonly string[], endpoint = `${server.url}/mcp`): Promise<Answer[]> {
  const input = Readable.from(lines.map(line => `${line}\n`));
  const answers: Answer[] = [];
  const { signal } = new AbortController();
  for await (const line of forward(input, { endpoint: new URL(endpoint), headers: { authorization }, signal }))
    answers.push(JSON.parse(line) as Answer);
  return answers;
}
const idsOf = (answers: readonly Answer[]): string[] => answers.map(({ id }) => String(id)).sort((a, b) => a.localeCompare(b));

const ping = (id: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });

test('each request is answered; notifications and blank lines are not', async () => {
  const notification = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const answers = await answersTo([ping(1), '', '  ', notification, ping('two')]);
  assert.deepEqual(idsOf(answers), ['1', 'two']);
  for (const { result } of answers) assert.deepEqual(result, {});
});

test('a line that does not hold one message is refused, as the server does it', async () => {
  for (const [line, code] of [
    ['{"jsonrpc"', -32700],
    ['17', -32600],
    [`[${ping(1)}]`, -32600],
  ] as const) {
    const answers = await answersTo([line]);
    assert.deepEqual(
      answers.map(({ id, error }) => [id, error?.code]),
      [[null, code]],
      line,
    );
  }
});

test('more requests than run at a time are all answered, each once', async () => {
  const ids = Array.from({ length: 50 }, (_, i) => `request ${String(i).padStart(2, '0')}`);
  assert.deepEqual(idsOf(await answersTo(ids.map(ping))), ids);
});

test('requests are cancelled while as many run as may, and while they wait', async t => {
  const arrived = new Set<number>();
  const ended = new Set<number>();
  const silent = createServer((request, response) => {
    void text(request).then(body => {
      const { id } = JSON.parse(body) as { id?: number };
      if (id === undefined) return void response.writeHead(202).end();
      arrived.add(id);
      response.once('close', () => ended.add(id));
      if (id === 0) response.end(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
    });
  }).listen(0, '127.0.0.1');
  const stop = new AbortController();
  t.after(() => {
    stop.abort();
    silent.close();
  });
  await once(silent, 'listening');
  const input = new PassThrough();
  const send = (message: object): boolean => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const cancel = (id: number): boolean => send({ method: 'notifications/cancelled', params: { requestId: id } });
  const endpoint = new URL(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`);
  const answers = (async () => {
    const lines: string[] = [];
    for await (const line of forward(input, { endpoint, headers: {}, signal: stop.signal })) lines.push(line);
    return lines;
  })();
  const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const running = numbers(1, 16);
  for (const id of [...running, 17, 18]) send({ id, method: 'ping' });
  await until(() => arrived.size === 16);
  assert.deepEqual(
    [...arrived].sort((a, b) => a - b),
    running,
  );
  for (const id of [18, ...running]) cancel(id);
  await until(() => ended.size === 16 && arrived.has(17));
  assert.equal(arrived.has(18), false, 'a request that waits is not sent after its cancellation');
  // As many as are read ahead.
  for (const id of [...numbers(101, 115), ...numbers(201, 440)]) send({ id, method: 'ping' });
  cancel(17);
  await until(() => ended.has(17));
  for (const id of [...numbers(101, 115), ...numbers(201, 440)]) cancel(id);
  send({ id: 0, method: 'ping' });
  input.end();
  assert.deepEqual(
    (await answers).map(line => (JSON.parse(line) as Answer).id),
    [0],
  );
});

test('where no server listens, every line that expects an answer learns it', async () => {
  const answers = await answersTo([ping(1), '{'], `http://127.0.0.1:${await freePort()}/mcp`);
  assert.deepEqual(idsOf(answers), ['1', 'null']);
  for (const { error } of answers) assert.match(error?.message ?? '', /the server cannot be reached/);
});
