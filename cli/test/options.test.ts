import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkArity, isUsageError, keyValues, optionReaders, splitRecord } from '@srv/lib-commands';
import fc from 'fast-check';

test('a list value is one CSV record', () => {
  const vectors: readonly [text: string, items: string[]][] = [
    ['a=1,b=2', ['a=1', 'b=2']],
    ['"k=a,b"', ['k=a,b']],
    ['a,"b ""c"",d",e', ['a', 'b "c",d', 'e']],
    ['', ['']],
    ['a,', ['a', '']],
    [',a', ['', 'a']],
    ['""', ['']],
  ];
  for (const [text, items] of vectors) assert.deepEqual(splitRecord(text), items, text);
  for (const text of ['"open', 'a"b', '"a"b'])
    assert.throws(() => splitRecord(text), { message: /is not a list of values separated by commas/ });
});

test('any items survive quoting', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), items => {
      assert.deepEqual(splitRecord(items.map(item => `"${item.replaceAll('"', '""')}"`).join(',')), items);
    }),
  );
});

test('key=value pairs split at the first =, the last one wins', () => {
  assert.deepEqual(keyValues(['a=1', 'b=x=y', 'a=2', 'c='], 'meta'), { a: '2', b: 'x=y', c: '' });
  assert.throws(
    () => keyValues(['a'], 'meta'),
    (error: unknown) => {
      assert.ok(isUsageError(error));
      assert.equal(error.message, '--meta: "a" is not a pair such as key=value');
      return true;
    },
  );
});

test('values of each type', () => {
  assert.equal(optionReaders.int('-5', undefined), -5);
  assert.equal(optionReaders.duration('1h0m0s', undefined), 3_600_000);
  assert.deepEqual(optionReaders.list('b,c', ['a']), ['a', 'b', 'c']);
  assert.deepEqual(optionReaders.texts('"b,c', ['a']), ['a', '"b,c']);
  for (const text of ['x', '1.5', '', '99999999999999999999'])
    assert.throws(() => optionReaders.int(text, undefined), { message: /is not a whole number/ });
  assert.throws(() => optionReaders.duration('5', undefined), { message: /is not a duration such as 3s or 1h0m0s/ });
});

test('reports wrong numbers of arguments in words', () => {
  const one = { required: true };
  checkArity([one, {}], 1);
  checkArity([one, { required: true, variadic: true }], 9);
  assert.throws(() => checkArity([one], 0), { message: 'accepts 1 arg(s), received 0' });
  assert.throws(() => checkArity([one, {}], 3), { message: 'accepts between 1 and 2 arg(s), received 3' });
  assert.throws(() => checkArity([one, { required: true, variadic: true }], 1), { message: 'requires at least 2 arg(s), only received 1' });
});
