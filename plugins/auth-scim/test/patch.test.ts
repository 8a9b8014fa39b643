import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { patched } from '../src/server/patch.js';
import { ScimError } from '../src/server/scim-error.js';

const urn = 'urn:ietf:params:scim:schemas:core:2.0:User:';
/** Names that lead to what all objects share. */
const shared = ['__proto__', '__PROTO__', 'constructor', 'toString', 'hasOwnProperty'];
const paths = shared.flatMap(name => [
  name,
  `${name}.polluted`,
  `x.${name}`,
  `emails[type eq "work"].${name}`,
  `${urn}${name}`,
  `${urn}${name}.polluted`,
  `${urn}x.${name}`,
]);

describe('a patch', () => {
  it('removes members one by one, as some providers do', async () => {
    const members = Array.from({ length: 10_000 }, (_, i) => ({ value: `user-${i}` }));
    const removal = (value: string) => ({ op: 'Remove', path: `members[value eq "${value}"]` });
    const removed = [...members.slice(0, 500), { value: 'USER-5000' }, ...members.slice(9600)].map(({ value }) => removal(value));
    const rename = { op: 'replace', path: 'displayName', value: 'fewer' };
    const others = [{ op: 'add', path: 'members', value: [{ value: 'user-3' }] }, removal('none'), removal('user-500')];
    const result = await patched({ displayName: 'many', members }, { Operations: [...removed, rename, ...others] });
    assert.deepEqual(result, { displayName: 'fewer', members: [...members.slice(501, 9600), { value: 'user-3' }] });
  });

  it('changes no object but its resource, whatever its paths', async () => {
    for (const path of paths)
      for (const op of ['add', 'replace', 'remove'])
        for (const operation of [
          { op, path, value: { polluted: 'yes' } },
          { op, path, value: 'yes' },
          { op, value: { [path]: 'yes' } },
        ]) {
          try {
            await patched({ userName: 'ann', emails: [{ type: 'work', value: 'a@b' }] }, { Operations: [operation] });
          } catch (error) {
            assert.ok(error instanceof ScimError && error.status === 400, path);
          }
          assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false, path);
          assert.equal(typeof {}.toString, 'function', path);
        }
  });

  it('of any shape is applied or refused', async () => {
    const name = fc.constantFrom('userName', 'emails', 'name.givenName', 'active', `${urn}displayName`, ...paths);
    const operation = fc.record({ op: fc.constantFrom('Add', 'replace', 'REMOVE', 'move'), path: fc.option(name), value: fc.anything() });
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 5 }), async operations => {
        try {
          await patched({ userName: 'ann' }, { Operations: operations });
        } catch (error) {
          assert.ok(error instanceof ScimError, String(error));
        }
        assert.deepEqual(Object.keys(Object.prototype), []);
      }),
      { numRuns: 2000 },
    );
  });
});
