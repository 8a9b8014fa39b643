/** The Python client of the Hub, unchanged. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { partitionOf } from '@srv/lib-records';
import { findPython } from '@srv/test-servers/python';
import { startHub, token } from './support/server.js';
import type { HubServer } from './support/server.js';

const run = promisify(execFile);
const python = findPython('huggingface_hub');
const script = fileURLToPath(new URL('../../test/clients/steps.py', import.meta.url));

/** What uploads leave until they are cleaned up: which way they came. */
const traces = async ({ kernel, engine }: HubServer): Promise<readonly string[]> => {
  const repository = await engine.getRepository('zoo').catch(() => undefined);
  if (!repository) return ['deleted'];
  const kinds = new Set<string>();
  for await (const page of kernel.services.get('kv').scan(partitionOf(repository)))
    for (const { key } of page) kinds.add(key.toString('utf8').split('/', 1)[0] ?? '');
  return [...kinds].filter(kind => kind.startsWith('huggingface-'));
};

const keep = { KEEP_REPOSITORY: '1' };
for (const [way, values, more, left] of [
  ['by Xet, its default,', {}, keep, ['huggingface-lfs', 'huggingface-xorb']],
  ['by LFS', {}, { ...keep, HF_HUB_DISABLE_XET: '1' }, ['huggingface-lfs']],
  ['within commits', { 'huggingface.large_files': 'inline' }, {}, ['deleted']],
] as const) {
  test(`huggingface_hub creates, uploads ${way}, reads, lists and deletes`, {
    skip: python === undefined ? 'needs huggingface_hub' : false,
  }, async () => {
    const server = await startHub(values);
    try {
      const home = join(server.home, 'hf-home');
      mkdirSync(home);
      const { stdout } = await run(python ?? '', [script], {
        timeout: 300_000,
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: home,
          TMPDIR: home,
          HF_HOME: home,
          HF_ENDPOINT: `${server.url}/hf`,
          HF_TOKEN: token,
          HF_HUB_DISABLE_TELEMETRY: '1',
          HF_HUB_DISABLE_UPDATE_CHECK: '1',
          HF_HUB_DISABLE_PROGRESS_BARS: '1',
          PYTHONDONTWRITEBYTECODE: '1',
          ...more,
        },
      });
      assert.match(stdout, /^passed$/m);
      assert.deepEqual(await traces(server), left);
    } finally {
      await server.stop();
    }
  });
}
