import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { decodeRules, encodeRules } from '../src/rules/record.js';
import { checkRules, retentionOf } from '../src/rules/rules.js';
import type { Rules } from '../src/rules/rules.js';

const refused = (rules: Rules, message: RegExp): void =>
  assert.throws(
    () => checkRules(rules),
    (error: unknown) => isSrvError(error, 'invalid') && message.test(error.message),
  );

describe('the stored form', () => {
  it('is that of existing installations', () => {
    const bytes = encodeRules({
      defaultRetentionDays: 14,
      branches: [
        { branchId: 'main', retentionDays: 21 },
        { branchId: 'dev', retentionDays: 0 },
      ],
    });
    assert.equal(
      bytes.toString('hex'),
      `080e${'1207'}0a03${Buffer.from('dev').toString('hex')}1000${'1208'}0a04${Buffer.from('main').toString('hex')}1015`,
    );
  });

  it('keeps everything, and rules of zeros are rules', () => {
    const all: Rules = {
      defaultRetentionDays: 0,
      branches: [{ branchId: 'main', retentionDays: 7 }],
      patterns: [{ pattern: 'r-*', retentionDays: 90 }],
      tags: { keep: 'days', retentionDays: 30 },
      keepLastCommits: 3,
    };
    assert.deepEqual(decodeRules(encodeRules(all)), all);
    const zeros = { defaultRetentionDays: 0, branches: [] };
    assert.deepEqual(decodeRules(encodeRules(zeros)), zeros);
    for (const keep of ['none', 'all'] as const) assert.deepEqual(decodeRules(encodeRules({ ...zeros, tags: { keep } }))?.tags, { keep });
    assert.equal(decodeRules(Buffer.alloc(0)), undefined);
  });

  it('of another program decodes, negative days included', () => {
    assert.equal(decodeRules(Buffer.from('08ffffffffffffffffff01', 'hex'))?.defaultRetentionDays, -1);
  });
});

describe('patterns', () => {
  it('are those of branch protection; the longest retention counts', () => {
    const daysOf = retentionOf({
      defaultRetentionDays: 1,
      branches: [{ branchId: 'release-1', retentionDays: 2 }],
      patterns: [
        { pattern: '{release,hot}-*', retentionDays: 30 },
        { pattern: '*-[0-9]', retentionDays: 40 },
      ],
    });
    assert.deepEqual(['release-1', 'release-x', 'hot-2', 'main'].map(daysOf), [2, 30, 40, 1]);
  });

  it('cost little on every name', () => {
    const daysOf = retentionOf({ defaultRetentionDays: 1, branches: [], patterns: [{ pattern: '*a*a*a*a*a*ab', retentionDays: 2 }] });
    assert.equal(daysOf('a'.repeat(196)), 1);
  });
});

describe('invalid rules', () => {
  const branches = [{ branchId: 'main', retentionDays: 1 }];
  it('names the rule', () => {
    refused({ defaultRetentionDays: -1, branches: [] }, /default_retention_days: invalid value: -1; a whole number from 0/);
    refused({ defaultRetentionDays: 2 ** 31, branches: [] }, /default_retention_days/);
    refused({ defaultRetentionDays: 1, branches: [{ branchId: 'a b', retentionDays: 1 }] }, /branch id/);
    refused({ defaultRetentionDays: 1, branches: [{ branchId: 'a', retentionDays: 1.5 }] }, /retention_days of branch a/);
    refused({ defaultRetentionDays: 1, branches: [...branches, ...branches] }, /branch "main" has two rules/);
    refused({ defaultRetentionDays: 1, branches, patterns: [{ pattern: '', retentionDays: 1 }] }, /pattern ""/);
    refused({ defaultRetentionDays: 1, branches, patterns: [{ pattern: 'r-[', retentionDays: 1 }] }, /pattern "r-\[": \[ is not closed/);
    refused({ defaultRetentionDays: 1, branches, tags: { keep: 'days', retentionDays: -2 } }, /retention_days of tags/);
    refused({ defaultRetentionDays: 1, branches, keepLastCommits: -1 }, /keep_last_commits/);
    checkRules({ defaultRetentionDays: 0, branches, patterns: [{ pattern: '*', retentionDays: 3 }], tags: { keep: 'none' } });
  });
});
