import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decide } from '../src/policy/evaluate.js';
import type { Statement } from '../src/policy/model.js';

const base = 'arn:lakefs:fs:::repository/';
const subject = { username: 'ann', facts: {} };
const letters = ['a', 'b', '/'];
/** All texts of up to four letters, longer than any pattern of the test distinguishes. */
const endings = [...textsUpTo(4)];

describe('a permission on everything below a prefix', () => {
  it('is granted only if every single permission is, and always if one statement covers them all without a denial', () => {
    const piece = fc.constantFrom(...letters, '*', '?');
    const resource = fc.array(piece, { minLength: 1, maxLength: 5 }).map(pieces => base + pieces.join(''));
    const statement = fc.record({ effect: fc.constantFrom('allow' as const, 'deny' as const), action: fc.constant(['fs:*']), resource });
    const statements = fc.array(fc.oneof(statement, fc.constant<Statement>({ effect: 'allow', action: ['*'], resource: '*' })), {
      maxLength: 4,
    });
    const prefix = fc.array(fc.constantFrom(...letters), { maxLength: 3 }).map(pieces => pieces.join(''));
    let granted = 0;
    fc.assert(
      fc.property(statements, prefix, (statement, given) => {
        const policies = [{ id: 'p', createdAt: new Date(0), statement }];
        const may = (resource: string, everyBelow?: true) =>
          decide({ action: 'fs:ReadObject', resource: base + resource, ...(everyBelow ? { everyBelow } : {}) }, policies, subject).allowed;
        // An empty resource id is not a name.
        const each = endings.filter(ending => given + ending !== '').every(ending => may(given + ending));
        const every = may(given, true);
        if (every) granted++;
        if (every) assert.ok(each, 'a single one is refused');
        const denials = statement.some(({ effect }) => effect === 'deny');
        if (!denials && statement.some(({ resource }) => resource === '*')) assert.ok(every, 'everything is allowed');
      }),
      { numRuns: 3000, examples: [[[{ effect: 'allow', action: ['fs:Read*'], resource: `${base}a/*` }], 'a/']] },
    );
    assert.ok(granted > 100, `${granted} were granted`);
  });

  it('is refused when anything below is denied, also by a pattern that begins above', () => {
    const allow: Statement = { effect: 'allow', action: ['fs:*'], resource: '*' };
    const may = (denied: string): boolean =>
      decide(
        { action: 'fs:ReadObject', resource: `${base}r/object/`, everyBelow: true },
        [{ id: 'p', createdAt: new Date(0), statement: [allow, { effect: 'deny', action: ['fs:Read*'], resource: denied }] }],
        subject,
      ).allowed;
    for (const denied of ['*', `${base}*`, `${base}*/secret`, `${base}r/object/secret/*`, `${base}?/object/x`, `${base}r/*`])
      assert.equal(may(denied), false, denied);
    for (const denied of [`${base}other/*`, `${base}r/branch/*`, `${base}r/object`, `${base}??/object/*`])
      assert.equal(may(denied), true, denied);
  });
});

describe('a permission on anything below a prefix', () => {
  it('is granted wherever a single permission is, and refused where everything below is denied or nothing is allowed', () => {
    const piece = fc.constantFrom(...letters, '*', '?');
    const resource = fc.array(piece, { minLength: 1, maxLength: 5 }).map(pieces => base + pieces.join(''));
    const statement = fc.record({ effect: fc.constantFrom('allow' as const, 'deny' as const), action: fc.constant(['fs:*']), resource });
    const prefix = fc.array(fc.constantFrom(...letters), { maxLength: 3 }).map(pieces => pieces.join(''));
    let granted = 0;
    fc.assert(
      fc.property(fc.array(statement, { maxLength: 4 }), prefix, (statement, given) => {
        const policies = [{ id: 'p', createdAt: new Date(0), statement }];
        const may = (resource: string, anyBelow?: true) =>
          decide({ action: 'fs:ReadObject', resource: base + resource, ...(anyBelow ? { anyBelow } : {}) }, policies, subject).allowed;
        const some = endings.some(ending => given + ending !== '' && may(given + ending));
        const any = may(given, true);
        if (some) granted++;
        if (some) assert.ok(any, 'a single one is granted');
        if (statement.every(({ effect }) => effect === 'deny')) assert.equal(any, false);
        if (statement.some(({ effect, resource }) => effect === 'deny' && resource === `${base}*`)) assert.equal(any, false);
      }),
      { numRuns: 3000 },
    );
    assert.ok(granted > 100, `${granted} were granted`);
  });

  it('counts patterns that reach below, such as that of one folder', () => {
    const may = (...statement: Statement[]): boolean =>
      decide(
        { action: 'fs:WriteObject', resource: `${base}r/object/`, anyBelow: true },
        [{ id: 'p', createdAt: new Date(0), statement }],
        subject,
      ).allowed;
    const allow = (resource: string): Statement => ({ effect: 'allow', action: ['fs:WriteObject'], resource });
    for (const resource of [`${base}r/object/team/*`, `${base}r/object/a`, `${base}*`, '*', `${base}?/object/x`])
      assert.ok(may(allow(resource)), resource);
    for (const resource of [`${base}other/object/team/*`, `${base}r/branch/main`, `${base}r`]) assert.ok(!may(allow(resource)), resource);
    assert.ok(may(allow('*'), { ...allow(`${base}r/object/secret/*`), effect: 'deny' }), 'only a part is denied');
    assert.ok(!may(allow('*'), { ...allow(`${base}r/*`), effect: 'deny' }));
  });
});

function* textsUpTo(length: number): Generator<string> {
  yield '';
  if (length === 0) return;
  for (const rest of textsUpTo(length - 1)) for (const letter of letters) yield letter + rest;
}
