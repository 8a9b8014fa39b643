// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the policy language
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { coversResource, parseArn } from '../src/policy/arn.js';
import { satisfies } from '../src/policy/conditions.js';
import { decide, visibleResources } from '../src/policy/evaluate.js';
import { aclStatements, presetGroups, presetPolicies } from '../src/policy/presets.js';
import { checkStatements } from '../src/policy/validate.js';
import { matches } from '../src/policy/wildcard.js';
import type { Permission } from '@srv/kernel';
import type { Policy, Statement } from '../src/policy/model.js';

const policy = (...statement: Statement[]): Policy => ({ id: 'p', createdAt: new Date(0), statement });
const allow = (action: string, resource: string, condition?: Statement['condition']): Statement => ({
  effect: 'allow',
  action: [action],
  resource,
  ...(condition ? { condition } : {}),
});
const deny = (action: string, resource: string): Statement => ({ effect: 'deny', action: [action], resource });
const leaf = (action: string, resource: string): Permission => ({ action, resource });
const subject = { username: 'alice', facts: { SourceIp: '10.1.2.3' } };
const object = 'arn:lakefs:fs:::repository/r/object/a/b/c';

describe('wildcards', () => {
  it('cross slashes and know code points', () => {
    assert.ok(
      matches('a*c', 'a/b/c') && matches('*', '') && matches('?', '😀') && matches('fs:*', 'fs:ReadObject') && matches('a**b', 'ab'),
    );
    assert.ok(!matches('', 'a') && !matches('?', '') && !matches('a', 'A') && !matches('a.c', 'abc') && !matches('a*b', 'abc'));
  });

  it('agree with a regular expression', () => {
    const letters = fc.constantFrom('a', 'b', '/', '*', '?', '.', 'ü');
    const toRegExp = (pattern: string): RegExp =>
      new RegExp(
        `^${[...pattern].map(c => (c === '*' ? '[\\s\\S]*' : c === '?' ? '[\\s\\S]' : c.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))).join('')}$`,
        'u',
      );
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 8 }), fc.array(letters, { maxLength: 12 }), (pattern, text) => {
        assert.equal(matches(pattern.join(''), text.join('')), toRegExp(pattern.join('')).test(text.join('')));
      }),
      { numRuns: 3000 },
    );
  });

  it('finish soon on patterns made to be slow', () => {
    // One that tries all ways to split the text would not finish at all.
    assert.equal(matches(`${'a*'.repeat(200)}b`, 'a'.repeat(2000)), false);
  });

  it('beyond maxCompiled: match as before', () => {
    for (let n = 0; n <= 1000; n++) assert.equal(matches(`p${n}*`, `p${n}/x`), true);
    assert.deepEqual([matches('p0*', 'p0/x'), matches('p0*', 'p1/x')], [true, false]);
  });

  it('take variables literally', () => {
    assert.ok(matches('user/${user}', 'user/*', { user: '*' }));
    assert.ok(!matches('user/${user}', 'user/admin', { user: '*' }));
    assert.ok(matches('*/${user}/${user}?', 'a/b/u/ux', { user: 'u' }));
    assert.ok(!matches('${user}', '${user}', { user: 'u' }), 'each user has patterns of their own');
    assert.ok(matches('${user}', '${user}'));
  });
});

describe('resource names', () => {
  it('are taken apart at the first five colons', () => {
    assert.equal(parseArn('arn:lakefs:fs:::namespace/s3://b/p')?.resourceId, 'namespace/s3://b/p');
    for (const bad of ['', '*', 'arn:aws:fs:::x', 'arn:lakefs:::x:y', 'arn:lakefs:fs:::', 'arn:lakefs:fs'])
      assert.equal(parseArn(bad), undefined, bad);
  });

  it('are covered as users of existing policies expect', () => {
    const cases: [string, string, boolean][] = [
      ['*', '*', true],
      ['*', object, true],
      ['arn:lakefs:auth:::*', '*', false],
      ['arn:lakefs:fs:::repository/r', object, false],
      ['arn:lakefs:fs:::repository/r/*', object, true],
      ['arn:lakefs:fs:::repository/r/*', 'arn:lakefs:fs:::repository/r', false],
      ['arn:lakefs:fs:::repository/r*', 'arn:lakefs:fs:::repository/r', true],
      ['arn:lakefs:fs:region::repository/r', 'arn:lakefs:fs:::repository/r', true],
      ['arn:lakefs:fs::account:repository/r', 'arn:lakefs:fs:::repository/r', false],
      ['arn:lakefs:*:::repository/r', 'arn:lakefs:fs:::repository/r', false],
      ['arn:lakefs:auth:::user/${user}', 'arn:lakefs:auth:::user/alice', true],
      ['arn:lakefs:auth:::user/${user}', 'arn:lakefs:auth:::user/bob', false],
    ];
    for (const [pattern, requested, expected] of cases)
      assert.equal(coversResource(pattern, requested, 'alice'), expected, `${pattern} ${requested}`);
  });
});

describe('decisions', () => {
  const reasonOf = (permission: Permission, ...policies: Policy[]): string | undefined => decide(permission, policies, subject).reason;

  it('deny wins wherever it stands', () => {
    const read = leaf('fs:ReadObject', object);
    assert.deepEqual(decide(read, [policy(allow('fs:*', '*'))], subject), { allowed: true });
    assert.equal(
      reasonOf(read, policy(allow('fs:*', '*'), deny('fs:Read*', '*'))),
      'insufficient permissions: denied permission to fs:Read*',
    );
    assert.equal(
      reasonOf(read, policy(deny('fs:Read*', '*')), policy(allow('fs:*', '*'))),
      'insufficient permissions: denied permission to fs:Read*',
    );
    assert.equal(reasonOf(read), 'insufficient permissions: not allowed to fs:ReadObject');
  });

  it('trees name what is missing', () => {
    const both = { all: [leaf('fs:A', '*'), leaf('fs:B', '*'), leaf('fs:C', '*')] };
    assert.equal(reasonOf(both, policy(allow('fs:A', '*'))), 'insufficient permissions: not allowed to fs:B');
    const either = { any: [leaf('fs:A', '*'), leaf('fs:B', '*')] };
    assert.equal(decide(either, [policy(allow('fs:B', '*'))], subject).allowed, true);
    assert.equal(reasonOf(either), 'insufficient permissions: not allowed to fs:A,fs:B');
    assert.equal(reasonOf(either, policy(allow('fs:A', '*'), deny('fs:B', '*'))), 'insufficient permissions: denied permission to fs:B');
  });

  it('resource lists inside text count, unreadable ones refuse', () => {
    assert.equal(decide(leaf('fs:A', object), [policy(allow('fs:A', `["x","arn:lakefs:fs:::repository/r/*"]`))], subject).allowed, true);
    assert.equal(
      reasonOf(leaf('fs:A', object), policy(allow('fs:*', '*'), allow('fs:A', '[broken]'))),
      'insufficient permissions: not allowed',
    );
  });

  it('conditions hold or the statement does not count', () => {
    const from = (network: string) => policy(allow('fs:A', '*', { IpAddress: { SourceIp: [network] } }));
    assert.equal(decide(leaf('fs:A', '*'), [from('10.0.0.0/8')], subject).allowed, true);
    assert.equal(reasonOf(leaf('fs:A', '*'), from('11.0.0.0/8')), 'insufficient permissions: not allowed to fs:A');
    assert.equal(reasonOf(leaf('fs:A', '*'), from('nonsense')), 'insufficient permissions: not allowed');
  });

  it('never allow more because of another deny, nor less because of another allow', () => {
    const actions = ['fs:ReadObject', 'fs:*', 'auth:*', 'fs:Read*', '*'];
    const resources = ['*', object, 'arn:lakefs:fs:::repository/r/*', 'arn:lakefs:fs:::repository/other'];
    const statement = fc.record({
      effect: fc.constantFrom('allow' as const, 'deny' as const),
      action: fc.array(fc.constantFrom(...actions), { minLength: 1, maxLength: 2 }),
      resource: fc.constantFrom(...resources),
    });
    fc.assert(
      fc.property(fc.array(statement, { maxLength: 6 }), statement, (statements, extra) => {
        const before = decide(leaf('fs:ReadObject', object), [policy(...statements)], subject).allowed;
        const after = decide(leaf('fs:ReadObject', object), [policy(...statements), policy(extra)], subject).allowed;
        if (extra.effect === 'deny') assert.ok(before || !after);
        else assert.ok(after || !before);
        const shuffled = decide(leaf('fs:ReadObject', object), [policy(...[...statements].reverse())], subject).allowed;
        assert.equal(shuffled, before);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('conditions', () => {
  it('fail without the field, the negated ones too', () => {
    for (const operator of ['IpAddress', 'NotIpAddress', 'StringLike', 'StringNotLike']) {
      assert.equal(satisfies({ [operator]: { SourceIp: ['10.0.0.0/8'] } }, {}), false, operator);
      assert.equal(satisfies({ [operator]: { Unknown: ['10.0.0.0/8'] } }, { SourceIp: '10.0.0.1' }), false, operator);
    }
    assert.equal(satisfies({}, {}), true);
  });

  it('compare addresses and text', () => {
    const facts = { SourceIp: '::ffff:10.1.2.3' };
    assert.equal(satisfies({ IpAddress: { SourceIp: ['1.2.3.4', '10.0.0.0/8'] } }, facts), true);
    assert.equal(satisfies({ NotIpAddress: { SourceIp: ['1.2.3.4', '11.0.0.0/8'] } }, facts), true);
    assert.equal(satisfies({ IpAddress: { SourceIp: ['2001:db8::/32'] } }, { SourceIp: '2001:db8::1' }), true);
    assert.equal(satisfies({ StringLike: { SourceIp: ['10.*'] } }, { SourceIp: '10.1.2.3' }), true);
    assert.equal(satisfies({ StringNotLike: { SourceIp: ['10.*'] } }, { SourceIp: '10.1.2.3' }), false);
    assert.throws(() => satisfies({ Odd: { SourceIp: [] } }, facts));
    assert.throws(() => satisfies({ IpAddress: { SourceIp: ['10.0.0.0/33'] } }, facts));
  });
});

describe('visibility', () => {
  it('filters by resource and leaves conditional statements out', () => {
    const visible = visibleResources(
      'fs:ListRepositories',
      [policy(allow('fs:List*', 'arn:lakefs:fs:::repository/a*'), deny('fs:*', 'arn:lakefs:fs:::repository/ab'))],
      'alice',
    );
    assert.deepEqual(
      ['a', 'ab', 'b'].map(r => visible?.(`arn:lakefs:fs:::repository/${r}`)),
      [true, false, false],
    );
    assert.equal(visibleResources('fs:ListRepositories', [policy(allow('auth:*', '*'))], 'alice'), undefined);
    const conditional = visibleResources(
      'fs:ListRepositories',
      [policy(allow('fs:*', '*', { IpAddress: { SourceIp: ['10.0.0.0/8'] } }))],
      'alice',
    );
    assert.equal(conditional?.('arn:lakefs:fs:::repository/a'), false);
  });
});

it('a stored pattern that is too long to be matched denies', () => {
  const policies = [policy(deny('fs:*', `arn:lakefs:fs:::${'*a'.repeat(9000)}`), allow('fs:*', '*'))];
  assert.deepEqual(decide(leaf('fs:ReadObject', object), policies, subject), {
    allowed: false,
    reason: 'insufficient permissions: not allowed',
  });
});

describe('stored policies', () => {
  it('are checked with precise words', () => {
    const refusals: [Partial<Statement>, RegExp][] = [
      [{ action: ['*'] }, /invalid action/],
      [{ action: ['fs:a:b'] }, /invalid action/],
      [{ action: ['s3:Get'] }, /invalid service name/],
      [{ action: [] }, /invalid action/],
      [{ resource: 'repository/x' }, /validation error: ARN 'repository\/x'/],
      [{ resource: '["x"]' }, /validation error: ARN 'x'/],
      [{ resource: '[x]' }, /validation error: resource list/],
      [{ resource: `arn:lakefs:fs:::${'*a'.repeat(2000)}` }, /ARN "arn:[^"]+…" is 4016 characters long: at most 2048/],
      [{ condition: { StringLike: { SourceIp: ['*'.repeat(3000)] } } }, /StringLike "\*+…" is 3000 characters long/],
      [{ condition: { Odd: {} } }, /condition operator 'Odd'/],
      [{ condition: { IpAddress: { SourceIp: ['x'] } } }, /x is not an IP address/],
    ];
    for (const [change, message] of refusals)
      assert.throws(() => checkStatements([{ effect: 'allow', action: ['fs:*'], resource: '*', ...change }]), { code: 'invalid', message });
    assert.throws(() => checkStatements([]), { code: 'invalid' });
  });

  it('include every preset', () => {
    for (const statements of [...Object.values(presetPolicies), ...Object.values(aclStatements)]) checkStatements(statements);
    for (const names of Object.values(presetGroups)) for (const name of names) assert.ok(name in presetPolicies, name);
  });
});
