/** All tests of this package once more, over every transport but their own. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { transports } from './support/transport.js';
import type { TransportName } from './support/transport.js';

/** These choose transports themselves, or have none. */
const others = ['clients', 'signature-matrix'];
/** Sends what is not HTTP. */
const needsBytes = ['fuzz'];

const files = readdirSync(import.meta.dirname)
  .filter(file => file.endsWith('.test.js') && !file.endsWith('.long.test.js'))
  .filter(file => !others.includes(file.slice(0, -'.test.js'.length)));

for (const name of Object.keys(transports) as TransportName[]) {
  if (name === 'clear') continue;
  const { transparent } = transports[name];
  describe(name, () => {
    for (const file of files) {
      const skip = !transparent && needsBytes.includes(file.slice(0, -'.test.js'.length)) ? 'needs a connection that carries bytes' : false;
      test(file, { skip }, () => run(join(import.meta.dirname, file), name));
    }
  });
}

/** @throws Error with what the file printed when it fails. */
function run(file: string, transport: TransportName): Promise<void> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const options = { env: { ...env, SRV_TEST_TRANSPORT: transport }, maxBuffer: 64 << 20 };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, ['--enable-source-maps', '--test-reporter=spec', file], options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${stdout.slice(-6000)}${stderr.slice(-2000)}`));
      else resolve();
    });
  });
}
