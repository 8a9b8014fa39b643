import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SigningKeys } from '../src/server/signing-key.js';

const scope = (day: number) => ({ day: String(20_300_000 + day), region: 'us-east-1', service: 's3' });

test('beyond maxKeys: keys are derived again, and are the same', () => {
  const keys = new SigningKeys();
  const secret = { secretAccessKey: 'secret' };
  const first = keys.get(secret, scope(0));
  for (let day = 1; day < 32; day += 1) keys.get(secret, scope(day));
  assert.equal(keys.get(secret, scope(0)), first, 'kept so far');
  keys.get(secret, scope(32));
  const anew = keys.get(secret, scope(0));
  assert.notEqual(anew, first);
  assert.deepEqual(anew.export(), first.export());
});
