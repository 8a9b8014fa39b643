/** Damaged tables: what reads them ends in a typed error that names the file, or in records. */
import assert from 'node:assert/strict';
import { isSrvError, messageOf } from '@srv/kernel';
import { heldBytes } from '@srv/kernel/testing';
import { TableReader, decodeValue, memoryFile } from '../../src/tables/format/index.js';
import { recordOf } from './memory-tables.js';
import { writeAll } from './table-writing.js';

export const seed = Number(process.env['SRV_TEST_SEED'] ?? Date.now() % 2 ** 31);

export function randomFrom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return state / 2 ** 32;
  };
}

/** Tables of all shapes: empty, one block, many blocks, two index levels. */
function tables(): Buffer[] {
  const records = (count: number, pad: number): [Buffer, Buffer][] =>
    Array.from({ length: count }, (_, i) => [
      Buffer.from(`dir/${String(i).padStart(5, '0')}`),
      recordOf(`identity-${i}`, 'x'.repeat(pad + (i % 7))),
    ]);
  return [0, 1, 40, 300, 1200].map(count => writeAll(records(count, count > 1000 ? 120 : 20), { type: 'ranges' }).bytes);
}

function mutate(table: Buffer, random: () => number): Buffer {
  const bytes = Buffer.from(table);
  const at = (): number =>
    random() < 0.4 ? bytes.length - 1 - Math.floor(random() * Math.min(bytes.length, 900)) : Math.floor(random() * bytes.length);
  const kind = random();
  if (kind < 0.15) return bytes.subarray(0, Math.floor(random() * bytes.length));
  if (kind < 0.25) return Buffer.concat([bytes.subarray(0, at()), bytes.subarray(at())]);
  const edits = 1 + Math.floor(random() * 4);
  for (let i = 0; i < edits; i++) {
    const place = at();
    const how = random();
    if (how < 0.4) bytes[place] = (bytes[place] ?? 0) ^ (1 << Math.floor(random() * 8));
    else if (how < 0.7) bytes[place] = random() < 0.5 ? 0xff : 0x80;
    else bytes.fill(0xff, place, Math.min(bytes.length, place + Math.floor(random() * 12)));
  }
  return bytes;
}

/** Everything a caller may do with a table. */
export function exercise(bytes: Buffer, random: () => number): void {
  const reader = new TableReader(memoryFile('mutant', bytes));
  const cursor = reader.cursor();
  let steps = 0;
  for (cursor.first(); cursor.valid; cursor.next()) {
    decodeValue(cursor.value);
    if (++steps > 100_000) throw new Error('the cursor does not end');
  }
  reader.get(Buffer.from(`dir/${String(Math.floor(random() * 1300)).padStart(5, '0')}`));
  cursor.seek(Buffer.from(`dir/${String(Math.floor(random() * 1300)).padStart(5, '0')}`));
  if (cursor.valid) void cursor.key;
}

interface Mutations {
  /** The least number of damaged tables that are read. */
  readonly count: number;
  /** The least milliseconds it takes. */
  readonly duration?: number;
  readonly start?: number;
}

export function readMutants({ count, duration = 0, start = seed }: Mutations): void {
  const random = randomFrom(start);
  const originals = tables();
  const before = heldBytes();
  const began = Date.now();
  let refused = 0;
  for (let i = 0; i < count || Date.now() - began < duration; i++) {
    const original = originals[i % originals.length] ?? Buffer.alloc(0);
    try {
      exercise(mutate(original, random), random);
    } catch (error) {
      refused++;
      assert.ok(isSrvError(error, 'corrupt'), `mutation ${i}: ${messageOf(error)}`);
      assert.match(error.message, /expected/);
    }
  }
  assert.ok(refused > count / 3, `only ${refused} mutants were refused`);
  const grown = heldBytes() - before;
  assert.ok(grown < 64 << 20, `${grown} bytes are held`);
}
