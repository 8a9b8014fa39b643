/** Policies and rules without a store: what is refused, and what may go, compared with the definition. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { runCount, seededRandom } from '@srv/kernel/testing';
import { branchesOf, checkObjectRules, expiryOf, hasExpired } from '../src/lifecycle/object-rules.js';
import { branchDecision, checkPolicies } from '../src/lifecycle/policies.js';
import type { ObjectRule } from '../src/lifecycle/object-rules.js';
import type { BranchFacts, BranchPolicy } from '../src/lifecycle/policies.js';

const refuses = (message: RegExp) => (error: unknown) => isSrvError(error, 'invalid') && message.test(error.message);
const day = 86_400_000;

describe('policies for branches', () => {
  it('without a limit, without a pattern, with a bad one, or with the id of another are refused with the remedy', () => {
    const good: BranchPolicy = { namePatterns: ['try-*'], maxAge: 1 };
    checkPolicies([good, { ...good, id: 'ä'.repeat(32) }, { namePatterns: ['a', 'b'], maxInactivity: 1 }]);
    const bad: readonly (readonly [BranchPolicy, RegExp])[] = [
      [{ namePatterns: ['a'] }, /policies\[0\]: it has no limit; set max_age, max_inactivity_time, or both/],
      [{ namePatterns: [], maxAge: 1 }, /name_patterns: 0 patterns; 1 to 100/],
      [{ ...good, namePatterns: [''] }, /"" must have 1 to 1024 bytes/],
      [{ ...good, namePatterns: ['[a'] }, /pattern "\[a": .*; use \* \? \[a-z\] \{a,b\}/],
      [{ ...good, maxAge: 0 }, /max_age: 0 is not a whole number of seconds from 1 on/],
      [{ ...good, maxInactivity: 1.5 }, /max_inactivity_time: 1.5 is not/],
      [{ ...good, id: 'x'.repeat(33) }, /must have 1 to 32 characters/],
      [{ ...good, description: 'x'.repeat(5000) }, /at most 4096 bytes/],
    ];
    for (const [policy, message] of bad) assert.throws(() => checkPolicies([policy]), refuses(message));
    const twice = { ...good, id: 'a' };
    assert.throws(() => checkPolicies([twice, twice]), refuses(/policy id "a": two policies have it/));
    assert.throws(() => checkPolicies(Array.from({ length: 101 }, () => good)), refuses(/101 policies: at most 100/));
  });

  it('delete what the first that matches a name says, and never the default branch', t => {
    const { choose, below, seed } = seededRandom();
    t.diagnostic(`SRV_TEST_SEED=${seed}`);
    const patterns: Readonly<Record<string, (name: string) => boolean>> = {
      '*': () => true,
      'a*': name => name.startsWith('a'),
      '?b': name => name.length === 2 && name.endsWith('b'),
      ab: name => name === 'ab',
    };
    for (let round = 0; round < runCount(2000, 20_000); round++) {
      const policies: BranchPolicy[] = Array.from({ length: below(4) }, (_, i) => {
        const limits = 1 + below(3);
        return {
          id: `p${i}`,
          namePatterns: Array.from({ length: 1 + below(2) }, () => choose(Object.keys(patterns))),
          ...(limits & 1 ? { maxAge: 1 + below(5) } : {}),
          ...(limits & 2 ? { maxInactivity: 1 + below(5) } : {}),
        };
      });
      const now = 10_000;
      const facts: BranchFacts = {
        name: choose(['a', 'ab', 'bb', 'cc']),
        isDefault: below(5) === 0,
        writtenAt: now - below(6001),
        ...(below(4) === 0 ? {} : { createdAt: now - below(6001) }),
      };
      const first = policies.find(({ namePatterns }) => namePatterns.some(pattern => patterns[pattern]?.(facts.name)));
      const limits = [
        ...(first?.maxAge === undefined ? [] : [facts.createdAt !== undefined && (now - facts.createdAt) / 1000 > first.maxAge]),
        ...(first?.maxInactivity === undefined ? [] : [(now - facts.writtenAt) / 1000 > first.maxInactivity]),
      ];
      const expected = !facts.isDefault && first && limits.every(Boolean) ? first : undefined;
      assert.equal(branchDecision(policies)(facts, now), expected, JSON.stringify({ policies, facts }));
    }
  });
});

describe('rules for objects', () => {
  it('with a bad id, branch, prefix or time, or with the id of another, are refused with the remedy', () => {
    const good: ObjectRule = { id: 'logs', branches: ['main'], prefix: 'logs/', expireAfterDays: 1 };
    checkObjectRules([good, { ...good, id: 'all', prefix: '' }]);
    const bad: readonly (readonly [Partial<ObjectRule>, RegExp])[] = [
      [{ id: 'Logs' }, /rules\[0\].id: "Logs" must have 1 to 64 characters a-z, 0-9 and -/],
      [{ id: 'a'.repeat(65) }, /must have 1 to 64/],
      [{ branches: [] }, /branches: 0 branches; 1 to 100/],
      [{ branches: ['no spaces'] }, /branch/],
      [{ prefix: 'logs' }, /prefix: "logs" must be empty or end with a slash/],
      [{ expireAfterDays: 0 }, /expire_after_days: 0 is not a whole number from 1/],
      [{ expireAfterDays: 36_501 }, /36501 is not/],
    ];
    for (const [change, message] of bad) assert.throws(() => checkObjectRules([{ ...good, ...change }]), refuses(message));
    assert.throws(() => checkObjectRules([good, good]), refuses(/rule id "logs": two rules have it/));
  });

  it('have an object expire by the shortest time that a rule about it has, and list each object once', t => {
    const { choose, below, seed } = seededRandom();
    t.diagnostic(`SRV_TEST_SEED=${seed}`);
    const prefixes = ['', 'a/', 'a/b/', 'ab/', 'c/'];
    const paths = ['x', 'a/x', 'a/b/x', 'ab/x', 'abc', 'c/x'];
    for (let round = 0; round < runCount(2000, 20_000); round++) {
      const rules: ObjectRule[] = Array.from({ length: below(5) }, (_, i) => ({
        id: `r${i}`,
        branches: [choose(['main', 'dev']), ...(below(3) === 0 ? ['other'] : [])],
        prefix: choose(prefixes),
        expireAfterDays: 1 + below(4),
      }));
      for (const branch of ['main', 'dev', 'other']) {
        const { ruleOf, prefixes: listed } = expiryOf(rules, branch);
        assert.equal(branchesOf(rules).includes(branch), listed.length > 0);
        for (const path of paths) {
          const about = rules.filter(rule => rule.branches.includes(branch) && path.startsWith(rule.prefix));
          assert.equal(listed.filter(prefix => path.startsWith(prefix)).length, about.length > 0 ? 1 : 0);
          const age = below(5 * day);
          const rule = ruleOf(path);
          const expected = about.some(({ expireAfterDays }) => age > expireAfterDays * day);
          assert.equal(rule !== undefined && hasExpired(new Date(1e12 - age), rule, 1e12), expected);
          if (rule) assert.equal(rule.expireAfterDays, Math.min(...about.map(({ expireAfterDays }) => expireAfterDays)));
        }
      }
    }
  });
});
