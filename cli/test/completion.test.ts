/** `cli __complete`, which the shells call, at servers that answer and at one that does not. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createListener } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { run } from './programs.js';
import type { AddressInfo, Server } from 'node:net';

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** @returns path of a configuration file. */
function configuration(home: string, url: string): string {
  const file = join(home, 'own.yaml');
  writeFileSync(file, `server:\n  endpoint_url: ${url}\ncredentials:\n  access_key_id: x\n  secret_access_key: y\n`);
  return file;
}

// A limit for the failure: then, the program never ends.
test('ends when the server accepts and does not answer', { timeout: 60_000 }, async t => {
  const server = createListener();
  const url = await listening(server);
  const connected = once(server, 'connection').then(([socket]) => once(socket.resume(), 'close'));
  t.after(() => server.close());
  const home = scratchFolder();
  const ended = await run('cli', ['__complete', '--config', configuration(home, url), 'fs', 'ls', 'srv://z'], home);
  assert.deepEqual(ended, { code: 0, stdout: '', stderr: '' });
  await connected;
});

test('reads the options that the line has', async t => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    asked.push(url);
    const results = url.includes('/objects/ls') ? [{ path: 'data/a b.txt', path_type: 'object' }] : [{ id: 'main', commit_id: 'c' }];
    response.setHeader('content-type', 'application/json');
    const body = {
      results: url.includes('/tags') ? [] : results,
      pagination: { has_more: false, next_offset: '', results: 1, max_per_page: 1000 },
    };
    response.end(JSON.stringify(body));
  });
  const url = await listening(server);
  t.after(() => server.close());
  const home = scratchFolder();
  configuration(home, url);
  /** Asks again for as long as nothing comes: on a busy machine the second that completion has may pass. */
  const values = async (words: readonly string[], env = {}): Promise<string> => {
    for (let attempt = 1; ; attempt++) {
      const { stdout, stderr } = await run('cli', ['__complete', '-c', '~/own.yaml', '-o', 'json', ...words], home, { env });
      assert.equal(stderr, '');
      if (stdout !== '' || attempt === 20) return stdout;
    }
  };
  assert.equal(await values(['fs', 'ls', 'srv://zoo/ma']), 'srv://zoo/main/\n');
  assert.equal(await values(['branch', 'create', 'srv://zoo/new', '-s', 'srv://zoo/ma']), 'srv://zoo/main/\n');
  assert.equal(await values(['branch', 'create', '--source=srv://zoo/ma']), '--source=srv://zoo/main/\n');
  assert.equal(await values(['--base-uri', 'srv://zoo/main/', 'fs', 'cat', 'da']), 'data/a b.txt\n');
  assert.match(asked.at(-1) ?? '', /\/repositories\/zoo\/refs\/main\/objects\/ls\?.*prefix=da/);
  assert.equal(await values(['fs', 'cat', 'da'], { CLI_BASE_URI: 'srv://zoo/main/' }), 'data/a b.txt\n');
});
