import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ReferenceRow } from '@srv/config/reference';
import { configReference } from '../src/srv/config-reference.js';
import { showConfig } from '../src/srv/config-show.js';
import { fixture } from './fixture.js';
import { isDescribed, normalDefault, normalType } from './spec-table.js';

const lines = (name: string): string[] =>
  readFileSync(fixture(name), 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'));
const spec = lines('spec-keys.tsv').map(line => line.split('\t') as [key: string, type: string, preset: string]);
const toCome = new Set(lines('keys-to-come.txt'));
const rows = new Map((JSON.parse(await configReference({ output: 'json' })) as ReferenceRow[]).map(row => [row.key, row]));

test('every key of the specification exists, or is known to be missing', () => {
  assert.deepEqual(
    spec.map(([key]) => key).filter(key => !rows.has(key) && !toCome.has(key)),
    [],
  );
});

test('a key that exists is taken off the list of keys to come', () => {
  assert.deepEqual(
    [...toCome].filter(key => rows.has(key)),
    [],
  );
});

test('a file with every key to come is accepted', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'srv-keys-')), 'config.yaml');
  const needed = ['database.type: local', 'blockstore.type: mem', 'blockstore.signing.secret_key: s', 'auth.encrypt.secret_key: s'];
  writeFileSync(file, [...needed, ...[...toCome].map(key => `${key}: anything`)].join('\n'));
  assert.match(await showConfig({ config: file }), /^database\.type: "local"$/m);
});

test('the list of keys to come names keys of the specification only', () => {
  assert.deepEqual(
    [...toCome].filter(key => !spec.some(([name]) => name === key)),
    [],
  );
});

/** What is still to come is not offered either. */
function offered(key: string, type: string): string {
  return key === 'auth.ui_config.rbac' && toCome.has('auth.api.endpoint') ? type.replace('`external`,', '') : type;
}

test('types and defaults are those of the specification', () => {
  const present = spec.filter(([key]) => rows.has(key));
  // Where the specification describes a default instead of stating it, there is nothing to compare.
  const shown = (described: string, preset: string): string => (isDescribed(described) ? described : normalDefault(preset));
  const ours = present.map(([key, , preset]) => [key, normalType(rows.get(key)?.type ?? ''), shown(preset, rows.get(key)?.default ?? '')]);
  assert.deepEqual(
    ours,
    present.map(([key, type, preset]) => [key, normalType(offered(key, type)), shown(preset, preset)]),
  );
});

test('keys beside those of the specification are the known ones', () => {
  assert.deepEqual([...rows.keys()].filter(key => !spec.some(([name]) => name === key)).toSorted(), lines('own-keys.txt').toSorted());
});
