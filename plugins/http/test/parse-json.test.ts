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
