import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { fixture } from './fixture.js';
import { run } from './programs.js';
import { isDescribed, normalDefault, normalType } from './spec-table.js';
import type { ReferenceRow } from '@srv/config/reference';

const lines = (name: string): string[] =>
  readFileSync(fixture(name), 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'));
const spec = lines('spec-keys.tsv').map(line => line.split('\t') as [key: string, type: string, preset: string]);
const { stdout } = await run('srv', ['config', 'reference', '-o', 'json'], scratchFolder());
const rows = new Map((JSON.parse(stdout) as ReferenceRow[]).map(row => [row.key, row]));

test('every key of the specification exists', () => {
  assert.deepEqual(
    spec.map(([key]) => key).filter(key => !rows.has(key)),
    [],
  );
});

test('types and defaults are those of the specification', () => {
  const present = spec.filter(([key]) => rows.has(key));
  // Where the specification describes a default instead of stating it, there is nothing to compare.
  const shown = (described: string, preset: string): string => (isDescribed(described) ? described : normalDefault(preset));
  // Several block stores are a type of their own here.
  const typeOf = (key: string): string => normalType((rows.get(key)?.type ?? '').replace('`multiple`,', ''));
  const ours = present.map(([key, , preset]) => [key, typeOf(key), shown(preset, rows.get(key)?.default ?? '')]);
  assert.deepEqual(
    ours,
    present.map(([key, type, preset]) => [key, normalType(type), shown(preset, preset)]),
  );
});

test('keys beside those of the specification are the known ones', () => {
  assert.deepEqual([...rows.keys()].filter(key => !spec.some(([name]) => name === key)).toSorted(), lines('own-keys.txt').toSorted());
});
