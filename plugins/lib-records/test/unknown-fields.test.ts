/** Fields of a newer release in records that this release changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProtoWriter, carryUnknownFields, unknownFieldsOf, withUnknownFields } from '../src/index.js';

const newer = new ProtoWriter().string(150, 'a').int(151, 7).string(150, 'b').finish();
const message = Buffer.concat([new ProtoWriter().string(1, 'x').finish(), newer]);
const known = new Set([1]);
const fieldsOf = (value: object): Buffer => new ProtoWriter().raw(unknownFieldsOf(value)).finish();

test('they go along with copies of a value, in their order, and are not members of it', () => {
  const value = withUnknownFields({ id: 'x', note: '' }, message, known);
  const { note: _, ...rest } = { ...value, id: 'y' };
  for (const copy of [value, { ...value, id: 'y' }, rest]) assert.deepEqual(fieldsOf(copy), newer);
  assert.deepEqual(Object.keys(value), ['id', 'note']);
  assert.equal(JSON.stringify(value), '{"id":"x","note":""}');
});

test('a value that is made afresh gets those of the one it replaces', () => {
  const old = withUnknownFields({ id: 'x' }, message, known);
  assert.deepEqual(fieldsOf(carryUnknownFields(old, { id: 'y' })), newer);
  assert.equal(carryUnknownFields('old', 'new'), 'new');
});

test('a value without them stays as it is', () => {
  const value = { id: 'x' };
  assert.equal(withUnknownFields(value, message.subarray(0, 3), known), value);
  assert.equal(carryUnknownFields({ id: 'w' }, value), value);
  assert.deepEqual(unknownFieldsOf(value), []);
});
