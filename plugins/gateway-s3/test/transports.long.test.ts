/** All tests of this package that have a server once more, over every transport but their own. */
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
const files = readdirSync(sources)
  .filter(file => file.endsWith('.test.ts') && !file.endsWith('.long.test.ts') && !(file in others))
  .filter(file => readFileSync(join(sources, file), 'utf8').includes("'./support/server.js'"))
  .map(file => join(import.meta.dirname, file.replace(/ts$/, 'js')));

describe('all requests', { concurrency: 2 }, () => {
  for (const name of Object.keys(transports) as TransportName[])
    if (name !== 'clear') test(`are answered over ${name} as in the clear`, () => run(name));
});

/** One process runs all files: starting it is half of the work of a file. @throws Error with what it printed when a test fails. */
function run(transport: TransportName): Promise<void> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  // Random input is repeated in the clear: here each kind of request is wanted once.
  const options = { env: { ...env, SRV_TEST_TRANSPORT: transport, SRV_TEST_ALL: '0' }, maxBuffer: 64 << 20, timeout: limit };
  return new Promise((resolve, reject) => {
    const words = ['--enable-source-maps', '--test-reporter=spec', join(import.meta.dirname, 'support', 'files.js'), ...files];
    execFile(process.execPath, words, options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${stdout.slice(-6000)}${stderr.slice(-2000)}`));
      else resolve();
    });
  });
}
