/** What programs learn of failures: the exit code, and JSON. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { run } from './programs.js';
import type { AddressInfo } from 'node:net';

test('each kind of failure has its exit code, on the command line and in scripts, and is JSON with -o json', async t => {
  const server = createServer((request, response) => {
    const status = Number(/branches\/s(\d+)$/.exec(request.url ?? '')?.[1] ?? 200);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message: `answer ${status}` }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const home = scratchFolder();
  const { port } = server.address() as AddressInfo;
  const env = {
    CLI_SERVER_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    CLI_CREDENTIALS_ACCESS_KEY_ID: 'x',
    CLI_CREDENTIALS_SECRET_ACCESS_KEY: 'y',
    CLI_SERVER_RETRIES_ENABLED: 'false',
  };
  const cases: readonly [words: readonly string[], code: number, env?: Readonly<Record<string, string>>][] = [
    [['branch', 'show', 'srv://repo/s404'], 3],
    [['branch', 'show', 'srv://repo/s401'], 4],
    [['branch', 'show', 'srv://repo/s403'], 4],
    [['branch', 'show', 'srv://repo/s409'], 5],
    [['branch', 'show', 'srv://repo/s412'], 5],
    [['branch', 'show', 'srv://repo/s400'], 1],
    [['branch', 'show', 'srv://repo/s500'], 1],
    [['branch', 'show'], 2],
    [['branch', 'show', 'not a uri'], 2],
    [['branch', 'show', '--nothing'], 2],
    [['frobnicate'], 2],
    [['branch', 'show', 'srv://repo/s404'], 6, { CLI_SERVER_ENDPOINT_URL: 'http://127.0.0.1:1' }],
  ];
  await Promise.all(
    cases.map(async ([words, code, more = {}]) => {
      const options = { env: { ...env, ...more } };
      const line = words
        .map(word => `'${word}'`)
        .join(' ')
        .replace(/^'(\w+)'/, '$1');
      const [plain, json, script] = await Promise.all([
        run('cli', words, home, options),
        run('cli', [...words, '-o', 'json'], home, options),
        run('cli', ['run', '-o', 'json', '-e', line], home, options),
      ]);
      assert.deepEqual([plain.code, json.code, script.code], [code, code, code], `${words.join(' ')}: ${plain.stderr} ${script.stderr}`);
      const { error } = JSON.parse(json.stderr) as { error: { message: string; exit_code: number; status?: number } };
      assert.equal(error.exit_code, code);
      assert.ok(plain.stderr.includes(error.message.split('\n')[0] ?? '-'), `${plain.stderr} ${json.stderr}`);
      const status = /s(\d+)$/.exec(words.at(-1) ?? '')?.[1];
      if (code !== 6 && status !== undefined) assert.equal(error.status, Number(status));
    }),
  );
  const help = await run('cli', ['--help'], home);
  assert.match(help.stdout, /Exit codes: 0 success, 1 failure, 2 wrong arguments, 3 not found, 4 refused \(401, 403\), 5 conflict/);
});
