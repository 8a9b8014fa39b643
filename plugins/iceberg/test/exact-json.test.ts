/** Documents of the catalog: what is JSON, and which digits stay. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { seededRandom } from '@srv/kernel/testing';
import { exactBytes, parseExact, writeExact } from '../src/server/exact-json.js';

const texts = [
  '0',
  '-0',
  ' 12 ',
  '1.5e3',
  '[1e5, 1E+5, -1.0]',
  '01',
  '1.',
  '.5',
  '-',
  '+1',
  '1-1',
  '1e5e5',
  '1 2',
  '[1][2]',
  '[1]x',
  '[1,]',
  '[,1]',
  '[[]',
  '[true false]',
  '{"a":1,}',
  '{"a" 1}',
  '{"a":}',
  '{"a"',
  '{1:2}',
  '{"a":1,"a":2}',
  '{"":{"":[]}}',
  'null',
  'nul',
  'truex',
  'NaN',
  "'a'",
  '"a',
  '"\\ud83d\\ude00 \\u00e9 \\/ é 😀 \u2028"',
  '"\\ud83d"',
  '"\\x"',
  '"\\u12g4"',
  '"\t"',
  '\u00a01',
  '',
  ' ',
];

it('JSON is read as JSON.parse reads it; all else is refused', async () => {
  for (const text of texts) {
    const expected = parsed(text);
    if (expected) assert.deepEqual(await parseExact(text), expected.value, text);
    else
      await assert.rejects(
        parseExact(text, 'the file'),
        { name: 'CatalogError', status: 400, message: /^the file is not valid JSON: / },
        text,
      );
  }
  await assert.rejects(parseExact(Buffer.from([0x22, 0xff, 0x22])), /^CatalogError: the body is not valid JSON: /);
  await assert.rejects(parseExact('{"a": {"__proto__": 1}}'), /must not be named __proto__/);
  assert.deepEqual(await parseExact('["__proto__"]'), ['__proto__']);
});

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

it('integers keep all digits, other numbers are as JavaScript has them', async () => {
  const text = '[9007199254740991,9007199254740992,-9223372036854775808,3051729675574597004,0.1,12345678901234567.5,1e30]';
  const read = await parseExact(text);
  assert.deepEqual(read, [9007199254740991, 9007199254740992n, -9223372036854775808n, 3051729675574597004n, 0.1, 12345678901234568, 1e30]);
  assert.equal(writeExact(read), text.replace('12345678901234567.5', '12345678901234568').replace('1e30', '1e+30'));
  assert.equal(writeExact({ a: undefined, b: [undefined, null], c: '"\ud800' }), '{"b":[null,null],"c":"\\"\\ud800"}');
});

it('documents of any shape are read as they were written', async t => {
  const random = seededRandom();
  t.diagnostic(`seed ${random.seed}`);
  const value = (levels: number): unknown => {
    const kind = random.below(levels > 0 ? 8 : 6);
    if (kind === 0) return random.below(1000) - 500;
    if (kind === 1) return BigInt.asIntN(64, BigInt(`0x${'f'.repeat(random.below(15) + 2)}`)) * 9007199254740993n;
    if (kind === 2) return [null, true, false][random.below(3)];
    if (kind < 6) return 'a"é\\\n😀'.repeat(random.below(kind === 5 ? 2000 : 3));
    const members = Array.from({ length: random.below(6) }, () => value(levels - 1));
    return kind === 6 ? members : Object.fromEntries(members.map((member, i) => [`name é ${i}`, member]));
  };
  for (let i = 0; i < 200; i++) {
    const document = [value(6), value(6)];
    const bytes = await exactBytes(document);
    assert.equal(bytes.toString('utf8'), writeExact(document));
    assert.deepEqual(await parseExact(bytes), document);
  }
});

it('beyond maxLevels: a document is refused with the limit', async () => {
  const maxLevels = 1000;
  const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  assert.equal(writeExact(await parseExact(nested(maxLevels))), nested(maxLevels));
  await assert.rejects(parseExact(nested(maxLevels + 1)), /it has more than 1000 levels/);
  assert.deepEqual(await parseExact('[[],[],{}]'), [[], [], {}]);
});

it('beyond maxNumber: a number is refused with the limit, however long it is', async () => {
  const maxNumber = 1000;
  assert.equal(await parseExact('9'.repeat(maxNumber)), BigInt('9'.repeat(maxNumber)));
  for (const length of [maxNumber + 1, 1 << 20])
    await assert.rejects(parseExact(`[${'9'.repeat(length)}]`), /a number has more than 1000 characters/);
});

it('the rest of the process works while a long document is read or written', async () => {
  const snapshots = Array.from({ length: 60_000 }, (_, i) => ({
    'snapshot-id': 3051729675574597004n + BigInt(i),
    summary: { operation: 'append' },
  }));
  const bytes = await turnsOf('writing', () => exactBytes({ snapshots }));
  const read = await turnsOf('reading', () => parseExact(bytes));
  assert.deepEqual(read, { snapshots });
});

/** Does some work, during which other work has its turn. */
async function turnsOf<T>(name: string, work: () => Promise<T>): Promise<T> {
  const state = { turns: 0, isDone: false };
  const others = async (): Promise<void> => {
    for (; !state.isDone; state.turns++) await nextTurn();
  };
  const counting = others();
  const result = await work();
  state.isDone = true;
  await counting;
  assert.ok(state.turns > 3, `${name} gave ${state.turns} turns to others`);
  return result;
}
