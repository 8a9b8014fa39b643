/** The conformance suite of the protocol's authors, with the scenarios that need no tools made for it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { installedIn } from '@srv/test-servers/packages';
import { authorization, startMcp } from './support/server.js';
import type { Server } from 'node:http';
import type { McpServer } from './support/server.js';

const scenarios = [
  'server-initialize',
  'ping',
  'server-stateless',
  'tools-list',
  'resources-list',
  'prompts-list',
  'sep-2164-resource-not-found',
  'dns-rebinding-protection',
  'caching',
  'http-header-validation',
];
const [major = 0] = process.versions.node.split('.').map(Number);

describe('the conformance suite', { skip: major >= 22 ? false : 'needs Node 22' }, () => {
  let server: McpServer;
  let front: Server;
  before(async () => {
    server = await startMcp();
    const { hostname, port } = new URL(server.url);
    // The suite knows no credentials: they are added on the way.
    front = createServer((incoming, outgoing) => {
      const headers = { ...incoming.headers, authorization };
      const passed = send({ hostname, port, method: incoming.method, path: incoming.url, headers }, answer => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      passed.on('error', error => outgoing.destroy(error));
      incoming.pipe(passed);
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
  });
  after(async () => {
    front?.closeAllConnections();
    front?.close();
    await server?.stop();
  });

  for (const scenario of scenarios) {
    it(`finds nothing wrong by ${scenario}`, async () => {
      const { port } = front.address() as { port: number };
      const program = join(installedIn('@modelcontextprotocol/conformance/package.json'), 'node_modules', '.bin', 'conformance');
      const report = await new Promise<string>(resolve => {
        const args = [program, 'server', '--url', `http://localhost:${port}/mcp`, '--scenario', scenario];
        execFile(process.execPath, args, { timeout: 60_000, env: { ...process.env, NO_COLOR: '1' } }, (_error, stdout, stderr) =>
          resolve(stdout + stderr),
        );
      });
      const [, passed = '0'] = /Passed: (\d+)\/\d+/.exec(report) ?? [];
      assert.ok(Number(passed) > 0, report);
      // One check asks for a tool made for it, and says so.
      const errors = [...report.matchAll(/^ +Error: (.*)$/gm)]
        .map(([, text = '']) => text)
        .filter(text => !text.startsWith('Not testable: '));
      assert.deepEqual(errors, []);
      const failed = Number(/(\d+) failed/.exec(report)?.[1] ?? 0);
      assert.equal(failed, (report.match(/Error: Not testable: /g) ?? []).length, report);
    });
  }
});
