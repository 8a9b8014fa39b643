/**
 * All tests of this package that have a server once more: each file over HTTP/2, which is another path through the server, and over one
 * of the other transports, which hand over the same requests of HTTP/1.1 in other bytes. `signature-matrix.long.test.ts` crosses every
 * transport with every kind of signature and every operation.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { transports } from './support/transport.js';
import type { TransportName } from './support/transport.js';

/** Files that say nothing about the way of a request, with the reason. */
const others: Readonly<Record<string, string>> = {
  'signature-matrix.test.ts': 'chooses transports itself',
  'listing-model.test.ts': 'random listings: each kind of listing crosses the transports in listing.test.ts',
  'upload-listing-model.test.ts': 'random listings of uploads, which uploads.test.ts lists',
  'metrics.test.ts': 'counts what the server did',
  'staging.test.ts': 'speaks to the engine',
  'upload-garbage.test.ts': 'looks at what the stores keep',
};
/** For one transport, in milliseconds, on a busy machine. */
const limit = 600_000;

// From the sources: compiled files of deleted ones may be left over.
const sources = join(import.meta.dirname, '..', '..', 'test');
const texts = readdirSync(sources)
  .filter(file => file.endsWith('.test.ts') && !file.endsWith('.long.test.ts') && !(file in others))
  .map(file => ({ file: join(import.meta.dirname, file.replace(/ts$/, 'js')), text: readFileSync(join(sources, file), 'utf8') }))
  .filter(({ text }) => text.includes("'./support/server.js'"));
const [whole, ...shared] = [
  'HTTP/2 over TLS',
  'HTTP/1.1 over TLS',
  'a proxy that rewrites headers',
  'a proxy from HTTP/2 to HTTP/1.1',
] as const;

/** Files by transport: what speaks of bytes goes where they arrive as they were sent, the rest where fewest are. */
const files = new Map<TransportName, string[]>([whole, ...shared].map(name => [name, []]));
const countOf = (name: TransportName): number => files.get(name)?.length ?? 0;
for (const { file, text } of texts) {
  const able = shared.filter(name => transports[name].transparent || !text.includes('needsBytes'));
  const least = able.reduce((best, name) => (countOf(name) < countOf(best) ? name : best));
  for (const name of [whole, least]) files.get(name)?.push(file);
}

test('every file crosses two transports, and every transport is crossed', () => {
  assert.deepEqual([...files.keys(), 'clear'].sort(), Object.keys(transports).sort());
  for (const [name, own] of files) assert.ok(own.length >= 4, `${name}: ${own.length} files`);
  for (const { file } of texts) assert.equal([...files.values()].filter(own => own.includes(file)).length, 2, file);
});

describe('all requests', { concurrency: 2 }, () => {
  for (const [name, own] of files) test(`are answered over ${name} as in the clear`, () => run(name, own));
});

/** As the runner starts a file. */
const lean = process.execArgv.filter(flag => /single-threaded|pool-size/.test(flag));

/** One process runs the files: starting it is half of the work of one. @throws Error with what it printed when a test fails. */
function run(transport: TransportName, own: readonly string[]): Promise<void> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  // Random input is repeated in the clear: here each kind of request is wanted once.
  const options = { env: { ...env, SRV_TEST_TRANSPORT: transport, SRV_TEST_ALL: '0' }, maxBuffer: 64 << 20, timeout: limit };
  return new Promise((resolve, reject) => {
    const words = [...lean, '--test-reporter=spec', join(import.meta.dirname, 'support', 'files.js'), ...own];
    execFile(process.execPath, words, options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${stdout.slice(-6000)}${stderr.slice(-2000)}`));
      else resolve();
    });
  });
}
