/** Looks into a sorted file of ids, in any order, against a set. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { seededRandom } from '@srv/kernel/testing';
import { KeptIds } from '../src/mark/kept-ids.js';

const { seed } = seededRandom();

/** 24 bytes whose order is that of the numbers. */
const idOf = (number: number): string => String(number).padStart(24, '0');

/** Files of no block, one, full ones, and one id more. */
for (const count of [0, 1, 2, 4095, 4096, 4097, 8192, 8193, 20_000])
  test(`${count} ids (SRV_TEST_SEED=${seed})`, t => {
    const folder = mkdtempSync(join(tmpdir(), 'srv-test-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'ids');
    // Every id is even, and none is below 1000: odd ones, small ones and great ones are not there.
    writeFileSync(path, Array.from({ length: count }, (_, i) => idOf(1000 + 2 * i)).join(''), 'latin1');
    const kept = new KeptIds(path);
    t.after(() => kept.close());
    assert.equal(kept.count, count);
    const last = 1000 + 2 * (count - 1);
    const isThere = (number: number): boolean => number % 2 === 0 && number >= 1000 && number <= last;
    const ask = (number: number): void => assert.equal(kept.has(idOf(number)), isThere(number), `${number} of ${count} ids`);
    for (let number = 0; number < last + 1000; number++) ask(number);
    for (let number = last + 1000; number >= 0; number--) ask(number);
    const random = seededRandom(seed);
    for (let i = 0; i < 5000; i++) ask(random.below(last + 2000));
  });
