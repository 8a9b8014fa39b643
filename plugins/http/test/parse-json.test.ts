import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseJson } from '../src/server/parse-json.js';

it('any text may be a name, but no object becomes a prototype', () => {
  assert.deepEqual(Object.entries(parseJson('{"__proto__":"a","constructor":"b"}') as object), [
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ]);
  for (const text of ['{"__proto__":{}}', '{"a":[{"\\u005f_proto__":[]}]}', '[[{"b":{"__proto__":{"c":1}}}]]'])
    assert.throws(() => parseJson(text), /__proto__/, text);
});

it('long lists are accepted', () => {
  const items = 500_000;
  assert.equal((parseJson(`{"proto":[${'[],'.repeat(items)}[]]}`) as { proto: unknown[] }).proto.length, items + 1);
});

it('texts and names are whole characters', () => {
  assert.deepEqual(parseJson('{"\\ud83d\\ude00":"\\u00e9\\ud83d\\ude00"}'), { '\u{1f600}': 'é\u{1f600}' });
  for (const text of ['"\\ud83d"', '{"a":["\\ude00x"]}', '{"\\udc00":1}', '[{"a":{"b":"\\ude00\\ud83d"}}]'])
    assert.throws(() => parseJson(text), /half of a character/, text);
});
