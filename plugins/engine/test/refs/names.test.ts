import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  checkBranchId,
  checkNewTagId,
  checkRepositoryId,
  checkTagId,
  descendingXid,
  partitionEpoch,
  pathKey,
  xid,
  xidSeconds,
} from '@srv/lib-records';
import fc from 'fast-check';
import { parseRef } from '../../src/refs/expression.js';

describe('sortable ids', () => {
  it('decode as existing ones do', () => {
    assert.equal(xidSeconds('coddo7tpocvs73ftd7u0'), 1_713_036_319);
    assert.equal(xidSeconds('ggq2f8tpocvs73ftd1qg'), 2_218_010_531);
    for (const text of ['', 'coddo7tpocvs73ftd7u', 'coddo7tpocvs73ftd7u1', 'CODDO7TPOCVS73FTD7U0', 'zoddo7tpocvs73ftd7u0'])
      assert.equal(xidSeconds(text), undefined, text);
  });

  it('are unique, and ascend or descend with time', () => {
    const ids = Array.from({ length: 1000 }, () => xid(1000));
    assert.equal(new Set(ids).size, 1000);
    assert.ok(xid(1001) > (ids[999] ?? ''));
    const descending = Array.from({ length: 1000 }, () => descendingXid(partitionEpoch));
    assert.deepEqual(descending, [...new Set(descending)].sort().reverse());
    const now = Math.floor(Date.now() / 1000);
    assert.ok(Math.abs((xidSeconds(descendingXid(partitionEpoch)) ?? 0) - (3_931_046_656 - now)) <= 1);
  });
});

describe('names', () => {
  const refused = (check: (name: string) => void, names: readonly string[]): void => {
    for (const name of names) assert.throws(() => check(name), { code: 'invalid' }, JSON.stringify(name));
  };

  it('of new tags and branches are refs that mean them', () => {
    const accepted = (check: (name: string) => void, name: string): boolean => {
      try {
        check(name);
        return true;
      } catch {
        return false;
      }
    };
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.string({ unit: fc.constantFrom(...'aZ0~^@${}.-_%+1#'), maxLength: 6 }),
    );
    let count = 0;
    fc.assert(
      fc.property(name, text => {
        if (!accepted(checkNewTagId, text) && !accepted(checkBranchId, text)) return;
        count++;
        assert.deepEqual(parseRef(text), { base: text, steps: [] });
      }),
      { numRuns: 2000 },
    );
    assert.ok(count > 100, `${count} names were accepted`);
  });

  it('follow their rules', () => {
    for (const name of ['abc', 'a-b', '0-9', 'x'.repeat(63)]) checkRepositoryId(name);
    refused(checkRepositoryId, ['', 'ab', 'Abc', '-abc', 'a_b', 'x'.repeat(64)]);
    for (const name of ['main', '_x', 'a-b_c', 'x'.repeat(300)]) checkBranchId(name);
    refused(checkBranchId, ['', '-a', 'a.b', 'a/b', 'a b', 'ä']);
    for (const name of ['v1.0', 'a~b', 'x@y', '$', 'ü', '.a']) checkTagId(name);
    for (const name of ['v1.0', 'ü', '.a', '50%']) checkNewTagId(name);
    refused(checkNewTagId, ['a~b', 'x~1', 'x@', 'a@b', '$', 'x$', '']);
    refused(checkTagId, ['', '@', 'a.', 'a.lock', 'a..b', 'a/b', 'a@{b', 'a^', 'a:b', 'a?', 'a*', 'a[', 'a\\b', 'a b', 'a\n']);
    assert.equal(pathKey('ü').length, 2);
    assert.equal(pathKey('\u{1f600}').length, 4);
    refused(pathKey, ['', 'ü'.repeat(513), 'a\ud800', '\udc00b']);
  });
});
