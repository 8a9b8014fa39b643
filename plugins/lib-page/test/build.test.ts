/** Files of a build, compressed and dated. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { compressFiles, newest } from '../src/index.js';

const folder = mkdtempSync(join(tmpdir(), 'lib-page-'));
after(() => rmSync(folder, { recursive: true, force: true }));

it('scripts and WebAssembly get two compressed forms, other files none', async () => {
  const files = { 'a.js': Buffer.from('let a = 1;'.repeat(100)), 'b.wasm': Buffer.alloc(2 ** 20 + 1, 'wasm'), 'c.png': Buffer.from('png') };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  await compressFiles(folder);
  assert.deepEqual(readdirSync(folder).sort(), ['a.js', 'a.js.br', 'a.js.gz', 'b.wasm', 'b.wasm.br', 'b.wasm.gz', 'c.png']);
  for (const name of ['a.js', 'b.wasm'] as const) {
    assert.deepEqual(brotliDecompressSync(readFileSync(join(folder, `${name}.br`))), files[name]);
    assert.deepEqual(gunzipSync(readFileSync(join(folder, `${name}.gz`))), files[name]);
  }
});

it('the newest file counts, however deep, and missing paths are old', () => {
  const deep = join(folder, 'deep', 'er');
  mkdirSync(deep, { recursive: true });
  writeFileSync(join(deep, 'late.ts'), '');
  utimesSync(join(deep, 'late.ts'), new Date(), new Date('2100-01-01T00:00:00Z'));
  assert.equal(newest([join(folder, 'none'), folder]), Date.parse('2100-01-01T00:00:00Z'));
  assert.equal(newest([join(folder, 'none')]), 0);
});
