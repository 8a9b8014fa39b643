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
  it('changes no object but its resource, whatever its paths', () => {
    for (const path of paths)
      for (const op of ['add', 'replace', 'remove'])
        for (const operation of [
          { op, path, value: { polluted: 'yes' } },
          { op, path, value: 'yes' },
          { op, value: { [path]: 'yes' } },
        ]) {
          try {
            patched({ userName: 'ann', emails: [{ type: 'work', value: 'a@b' }] }, { Operations: [operation] });
          } catch (error) {
            assert.ok(error instanceof ScimError && error.status === 400, path);
          }
          assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false, path);
          assert.equal(typeof {}.toString, 'function', path);
        }
  });

  it('of any shape is applied or refused', () => {
    const name = fc.constantFrom('userName', 'emails', 'name.givenName', 'active', `${urn}displayName`, ...paths);
    const operation = fc.record({ op: fc.constantFrom('Add', 'replace', 'REMOVE', 'move'), path: fc.option(name), value: fc.anything() });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 5 }), operations => {
        try {
          patched({ userName: 'ann' }, { Operations: operations });
        } catch (error) {
          assert.ok(error instanceof ScimError, String(error));
        }
        assert.deepEqual(Object.keys(Object.prototype), []);
      }),
      { numRuns: 2000 },
    );
  });
});
