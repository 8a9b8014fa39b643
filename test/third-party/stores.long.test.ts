/** Third-party stores pass the whole suites. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testBlockStore, testKvStore } from '@srv/lib-stores/testing';
import { openRam } from './plugins/block-ram.js';
import { openJson } from './plugins/kv-json.js';

testKvStore('a third-party key-value store on a JSON file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'srv-third-party-'));
  const open = () => openJson(join(folder, 'kv.json'));
  return { store: open(), reopen: async () => open(), cleanup: async () => rmSync(folder, { recursive: true }) };
});

testBlockStore('a third-party block store in memory', async () => ({
  store: openRam(),
  namespace: 'ram://suite',
  cleanup: async () => {},
}));
