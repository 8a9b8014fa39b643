/** Entry point of a thread that looks at files: what the system knows of them, and their MD5. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { codeOf, failureOf, missing } from './error-codes.js';
import type { FactsJob, FactsResult } from './file-facts.js';

const chunk = Buffer.allocUnsafe(256 << 10);

parentPort?.on('message', ({ jobs }: { readonly jobs: readonly FactsJob[] }) => {
  parentPort?.postMessage(jobs.map(look));
});

function look({ path, wanted }: FactsJob): FactsResult {
  try {
    if (wanted === 'md5') return md5Of(path);
    const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true });
    return { dev, ino, size, mtimeNs };
  } catch (error) {
    return missing.some(code => code === codeOf(error)) ? undefined : failureOf(error);
  }
}

function md5Of(path: string): string {
  const file = openSync(path, 'r');
  try {
    const hash = createHash('md5');
    for (;;) {
      const length = readSync(file, chunk, 0, chunk.length, null);
      if (length === 0) return hash.digest('hex');
      hash.update(chunk.subarray(0, length));
    }
  } finally {
    closeSync(file);
  }
}
