/** Columns of tables as SQL declares them, and those that it cannot read. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { columnsOf } from '../src/server/scan/sql-types.js';

const field = (id: number, name: string, type: unknown, initial?: unknown) => ({
  id,
  name,
  type,
  ...(initial === undefined ? {} : { 'initial-default': initial }),
});
const struct = (...fields: object[]) => ({ type: 'struct', fields });

it('default values are written as SQL reads them, bytes as escapes', () => {
  const initials = columnsOf([
    field(1, 'a', 'fixed[4]', '00ff5c41'),
    field(2, 'b', 'binary', ''),
    field(3, 'c', 'string', '00ff'),
    field(4, 'd', 'long', 9007199254740993n),
    field(5, 'e', 'int', null),
  ]).map(({ initial }) => initial);
  assert.deepEqual(initials, ['\\x00\\xff\\x5c\\x41', '', '00ff', '9007199254740993', undefined]);
});

it('columns that SQL would read wrong are refused', () => {
  for (const [fields, message] of [
    [[field(1, 'A', 'int'), field(2, 'a', 'int')], /cannot distinguish the columns A and a;/],
    [[field(1, 's', struct(field(2, 'x', 'int'), field(3, 'X', 'int')))], /cannot distinguish the fields of column s x and X;/],
    [[field(1, 's', { type: 'list', element: struct(field(2, 'x', 'int', 7)) })], /field x of column s has a default value/],
    [[field(1, 'f', 'fixed[2]', 'x')], /column f has a default value that is not hexadecimal/],
    [[field(1, 's', struct(field(2, 'x', 'int')), { x: 1 })], /column s has a default value that SQL cannot read/],
  ] as const)
    assert.throws(() => columnsOf(fields), { message });
  assert.equal(columnsOf([field(1, 'Ü', 'int'), field(2, 'ü', 'int')]).length, 2, 'the engine folds letters of ASCII alone');
});
