/** All tests of this package once more, over every transport but their own. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { transports } from './support/transport.js';
import type { TransportName } from './support/transport.js';

/** These choose transports themselves, or have none. */
const others = ['signature-matrix'];
/** For one file, in milliseconds, on a busy machine. */
const fileLimit = 300_000;

// From the sources: compiled files of deleted ones may be left over.
const files = readdirSync(join(import.meta.dirname, '..', '..', 'test'))
  .filter(file => file.endsWith('.test.ts') && !file.endsWith('.long.test.ts'))
  .map(file => file.slice(0, -'.test.ts'.length))
  .filter(name => !others.includes(name));

for (const name of Object.keys(transports) as TransportName[]) {
  if (name === 'clear') continue;
  describe(name, { concurrency: 2 }, () => {
    for (const file of files) test(file, () => run(join(import.meta.dirname, `${file}.test.js`), name));
  });
}

/** @throws Error with what the file printed when it fails. */
function run(file: string, transport: TransportName): Promise<void> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const options = { env: { ...env, SRV_TEST_TRANSPORT: transport }, maxBuffer: 64 << 20, timeout: fileLimit };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, ['--enable-source-maps', '--test-reporter=spec', file], options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${stdout.slice(-6000)}${stderr.slice(-2000)}`));
      else resolve();
    });
  });
}
