/** What `cli mcp` makes of lines. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { freePort } from '@srv/test-servers';
import { forward } from '../src/cli/mcp.js';
import { authorization, startMcp } from './support/server.js';
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

test('where no server listens, every line that expects an answer learns it', async () => {
  const answers = await answersTo([ping(1), '{'], `http://127.0.0.1:${await freePort()}/mcp`);
  assert.deepEqual(idsOf(answers), ['1', 'null']);
  for (const { error } of answers) assert.match(error?.message ?? '', /the server cannot be reached/);
});
