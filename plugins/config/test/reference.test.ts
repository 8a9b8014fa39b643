import assert from 'node:assert/strict';
import { test } from 'node:test';
import { key } from '@srv/kernel';
import { referenceRows, referenceTable } from '../src/server/reference.js';

test('one row per key, ready for a Markdown table', () => {
  const rows = referenceRows([
    {
      plugin: 'p',
      keys: {
        'a.b': key.duration({ default: '3s', meaning: 'How long' }),
        'a.c': key.text({ required: true, values: ['x', 'y'], meaning: 'Which' }),
        'a.d': key.bool({ default: false, meaning: 'Switch' }),
        'a.e': key.list({ default: [], meaning: 'List' }),
      },
    },
  ]);
  assert.deepEqual(referenceTable(rows).split('\n').slice(2), [
    '| a.b | duration | 3s | How long |',
    '| a.c | `x`,`y` | (req) | Which |',
    '| a.d | bool | false | Switch |',
    '| a.e | []string | [] | List |',
  ]);
});
