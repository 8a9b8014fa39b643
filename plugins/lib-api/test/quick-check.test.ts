import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  amount,
  branchId,
  checkedText,
  flag,
  integer,
  oneOf,
  optional,
  path,
  quickCheckOf,
  ref,
  repeated,
  repositoryId,
  tagId,
  text,
  unsure,
  withDefault,
} from '@srv/lib-api';
import fc from 'fast-check';
import type { Field } from '@srv/lib-api';

const fields: Readonly<Record<string, Field>> = {
  repositoryId,
  branchId,
  ref,
  path,
  tagId,
  amount,
  text: text(),
  filled: text({ filled: true }),
  short: text({ maxBytes: 3 }),
  checked: checkedText(value => (value.length > 2 ? 'too long' : undefined)),
  oneOf: oneOf('a', 'b'),
  integer: integer(),
  bounded: integer({ min: 1, max: 10_000 }),
  flag: flag(),
  optional: optional(text()),
  defaulted: withDefault(flag(), false),
  repeated: repeated(text()),
};

const value = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom(
    '',
    '0',
    '1',
    '-1',
    '00',
    '10',
    '1001',
    '99999',
    '1e3',
    '1.5',
    ' 1',
    'true',
    'false',
    'True',
    't',
    'a',
    'b',
    'main',
    'lakes',
    'a'.repeat(1025),
  ),
  fc.constantFrom(undefined, null, 1, true, [], ['a'], {}),
);

describe('quick checks', () => {
  for (const [name, field] of Object.entries(fields)) {
    it(`of ${name} agree with the schema where they are sure`, () => {
      fc.assert(
        fc.property(value, sent => {
          const quick = quickCheckOf(field)(sent);
          if (quick === unsure) return;
          const { error, value: slow } = field.validate(sent) as { error?: Error; value: unknown };
          assert.equal(error, undefined);
          assert.equal(quick, slow);
        }),
        { numRuns: 2000 },
      );
    });
  }

  it('are sure of what requests usually hold', () => {
    const usual: [Field, unknown][] = [
      [repositoryId, 'lakes'],
      [ref, 'main'],
      [path, 'a/b'],
      [amount, '100'],
      [amount, undefined],
      [flag(), 'true'],
      [optional(text()), undefined],
    ];
    for (const [field, sent] of usual) assert.notEqual(quickCheckOf(field)(sent), unsure);
  });
});
