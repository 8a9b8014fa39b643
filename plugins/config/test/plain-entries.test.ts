import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCount, seededRandom } from '@srv/kernel/testing';
import { plainEntries } from '../src/server/plain-entries.js';
import { yamlEntries } from '../src/server/yaml-entries.js';
import { contextOf } from './context.js';

const known = contextOf();
const plain = (text: string) => plainEntries(text, 'cli.yaml', known);
const whole = (text: string) => yamlEntries(text, 'cli.yaml', known);

test('the file of a first start is plain', () => {
  const text = [
    '# Configuration of the command-line tool.',
    'credentials:',
    '  access_key_id: AKIAJVDMQJZ2KBOCKOAQ',
    '  secret_access_key: wSeQ/mhn+knuJZ9XX',
    '',
    'server:',
    '  endpoint_url: http://127.0.0.1:8100',
  ].join('\n');
  assert.equal(plain(text)?.length, 3);
  assert.deepEqual(plain(text), whole(text));
});

const pieces = [
  ['', ' ', '  ', '    ', '\t', '- '],
  [
    'a',
    'A',
    'b',
    'logging',
    'level',
    'logging.level',
    'auth',
    'claims',
    'auth.claims',
    'true',
    '1',
    '"a"',
    '? a',
    '&x a',
    '#',
    '---',
    '',
    '\uFEFFa',
  ],
  [':', ': ', ':  ', '', ' : ', ' '],
  [
    '',
    'word',
    'two words',
    '1',
    '0x1f',
    '0o7',
    '1e3',
    '-1',
    '.5',
    '.inf',
    '+1',
    '1h',
    '1_0',
    '2001-12-14',
    '10:30',
    'true',
    'Null',
    '~',
    '/x/y',
  ],
  ['', ' ', ' # note', '#x', ':', ': z', '\r'],
];
const values = ['http://127.0.0.1:8000', 'a:', '@a', '=', '*x', '{a: b}', '[a]', '"q"', "'q'", '|', '>-', '%x', 'a=b', '-', 'x-', 'É'];

test('a text that is plain says what YAML says, and all others are left to YAML', () => {
  const random = seededRandom();
  const [indents = [], names = [], marks = [], words = [], ends = []] = pieces;
  const line = (): string =>
    random.below(5) === 0
      ? random.choose(indents) + random.choose(names) + random.choose(marks) + random.choose([...words, ...values]) + random.choose(ends)
      : random.choose(['', '  ']) + random.choose(names.slice(0, 9)) + random.choose([':', ': word', ': /x']);
  let plainOnes = 0;
  for (let i = 0; i < runCount(5000, 100_000); i++) {
    const text = Array.from({ length: 1 + random.below(5) }, line).join('\n');
    const entries = plain(text);
    if (entries === undefined) continue;
    plainOnes++;
    assert.deepEqual(entries, whole(text), `seed ${random.seed}: ${JSON.stringify(text)}`);
  }
  assert.ok(plainOnes > 100, `${plainOnes} are plain`);
});
