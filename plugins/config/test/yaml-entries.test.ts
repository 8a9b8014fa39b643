import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Config } from '@srv/kernel';
import { yamlEntries } from '../src/server/yaml-entries.js';
import { contextOf, someKeys } from './context.js';

const known = contextOf();
const read = (text: string) => yamlEntries(text, 'config.yaml', known);

test('every leaf becomes an entry with its line, in any case and either notation', () => {
  const entries = read('Logging:\n  LEVEL: DEBUG\n  output: [a, b]\n\nlisten_address: ":1"\nDatabase.Local.Path: /x\n');
  assert.deepEqual(entries, [
    { key: 'logging.level', raw: 'DEBUG', source: 'config.yaml:2' },
    { key: 'logging.output', raw: ['a', 'b'], source: 'config.yaml:3' },
    { key: 'listen_address', raw: ':1', source: 'config.yaml:5' },
    { key: 'database.local.path', raw: '/x', source: 'config.yaml:6' },
  ]);
});

test('a map-typed key stays a map and keeps the case of its keys', () => {
  assert.deepEqual(read('auth:\n  claims:\n    Group: Admins\n'), [
    { key: 'auth.claims', raw: { Group: 'Admins' }, source: 'config.yaml:2' },
  ]);
});

test('anchors are followed; empty sections and empty files mean nothing', () => {
  assert.equal(read('listen_address: &a ":2"\nlogging:\n  level: *a\n')[1]?.raw, ':2');
  assert.deepEqual(read('logging:\n'), []);
  assert.deepEqual(read(''), []);
  assert.deepEqual(read('# only a comment\n'), []);
});

const faults: readonly [text: string, message: RegExp][] = [
  ['logging:\n  level: A\n  level: B\n', /^config\.yaml:3:3: a key is set twice in one map; remove one$/],
  ['logging:\n  level: A\nLOGGING.level: B\n', /^config\.yaml:3: logging\.level is set twice, first in line 2; remove one$/],
  [
    'cache:\n  reposiory:\n    ttl: 1s\n  repository:\n    ttl: 2s\n',
    /^config\.yaml:5: cache\.repository\.ttl is set twice, first in line 3; remove one$/,
  ],
  ['logging: [\n', /^config\.yaml:\d+:\d+: /],
  ['- a\n', /^config\.yaml:1: the file must be a map of keys/],
  ['just text\n', /^config\.yaml:1: the file must be a map of keys/],
];
for (const [text, message] of faults) {
  test(`refused with its place: ${JSON.stringify(text)}`, () => {
    assert.throws(() => read(text), { name: 'SrvError', code: 'config', message });
  });
}

test('unknown leaves reach the decoder, which names the nearest key', () => {
  assert.throws(() => Config.create([{ plugin: 'x', keys: someKeys }], read('logging:\n  levle: DEBUG\n')), {
    message: /logging\.levle: unknown key \(from config\.yaml:2\); did you mean logging\.level\?/,
  });
});
