/** The Python client of the Hub, unchanged. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findPython } from '@srv/test-servers/python';
import { startHub, token } from './support/server.js';

const run = promisify(execFile);
const python = findPython('huggingface_hub');
const script = fileURLToPath(new URL('../../test/clients/steps.py', import.meta.url));

for (const [way, values, more] of [
  ['within commits', {}, {}],
  ['by LFS', { 'huggingface.large_files': 'lfs' }, { HF_HUB_DISABLE_XET: '1' }],
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
    } finally {
      await server.stop();
    }
  });
}
