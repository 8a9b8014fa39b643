/** Files of the journal that the disk refuses: what the system holds of them is not trusted any more. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '@srv/kernel';
import { KeyedLock } from '@srv/lib-stores/block';
import { DurableFolders } from '../src/server/files/durable-folders.js';
import { Roots } from '../src/server/files/roots.js';
import { AdoptedJournals } from '../src/server/journal/adopted-journals.js';
import { Journal } from '../src/server/journal/journal.js';
import { encodeHead, encodeRecords } from '../src/server/journal/journal-format.js';
import { journalLimits } from '../src/server/journal/journal-segments.js';
import { Retirement } from '../src/server/journal/retirement.js';
import type { TestContext } from 'node:test';

class RefusingRetirement extends Retirement {
  readonly #until: Promise<void>;

  /** @param until the disk takes its time before it refuses. */
  constructor(base: string, until = Promise.resolve()) {
    super(base);
    this.#until = until;
  }

  override async retire(): Promise<void> {
    await this.#until;
    throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' });
  }
}

function fixture(t: TestContext, until?: Promise<void>) {
  const base = mkdtempSync(join(tmpdir(), 'srv-journal-failure-'));
  for (const name of ['temporary', 'repo']) mkdirSync(join(base, name));
  const roots = new Roots({ path: base, real: base }, []);
  const lines: string[] = [];
  const log = (_: unknown, message: string): number => lines.push(message);
  const locks = new KeyedLock();
  const journal = new Journal({
    roots,
    folders: new DurableFolders(roots),
    temporary: join(base, 'temporary'),
    folder: join(base, 'journal/own'),
    bootId: 'of the test',
    limits: { ...journalLimits, segmentMs: 50, retireAfterMs: 100 },
    log: { ...silentLogger, warn: log, error: log },
    locks,
    adopted: [],
    openRetirement: path => new RefusingRetirement(path, until),
  });
  t.after(async () => {
    await journal.close();
    rmSync(base, { recursive: true });
  });
  const write = (name: string): Promise<unknown> =>
    journal.write({ name: `repo/${name}`, object: `repo/${name}` }, Buffer.from(`content of ${name}`));
  return {
    base,
    journal,
    locks,
    lines,
    write,
    at: (name: string) => join(base, 'repo', name),
    segments: () => readdirSync(join(base, 'journal/own')),
  };
}

test('files whose sync fails are written again, but not those that were changed meanwhile', async t => {
  let refuse = (): void => undefined;
  const isChanged = new Promise<void>(resolve => {
    refuse = resolve;
  });
  const { journal, write, at, segments, lines } = fixture(t, isChanged);
  for (const name of ['lost', 'removed', 'newer', 'settled']) await write(name);
  const { mtimeMs } = statSync(at('lost'));
  await journal.settle('repo/settled');
  writeFileSync(at('lost'), '\0'.repeat(15));
  writeFileSync(at('settled'), 'written by the store');
  for (const name of ['lost', 'settled']) utimesSync(at(name), mtimeMs / 1000 - 1, mtimeMs / 1000 - 1);
  writeFileSync(at('newer'), 'of another writer');
  utimesSync(at('newer'), mtimeMs / 1000 + 1, mtimeMs / 1000 + 1);
  rmSync(at('removed'));
  refuse();
  for (let round = 0; segments().length > 0; round++) {
    assert.ok(round < 1000, 'the segment is still there');
    await sleep(10);
  }
  assert.equal(readFileSync(at('lost'), 'utf8'), 'content of lost');
  assert.equal(readFileSync(at('settled'), 'utf8'), 'written by the store');
  assert.equal(readFileSync(at('newer'), 'utf8'), 'of another writer');
  assert.equal(existsSync(at('removed')), false);
  assert.ok(Math.abs(statSync(at('lost')).mtimeMs - mtimeMs) < 0.1, 'it keeps its time');
  assert.deepEqual(new Set(lines), new Set(['files of the journal could not be synced; they are written again']));
});

test('a segment that cannot be retired stays, and so do its records', async t => {
  const { base, journal, locks, write, segments, lines } = fixture(t);
  await write('busy');
  // The process that changes it is not waited for.
  locks.tryAcquire(join(base, 'repo/busy'));
  for (let round = 0; lines.length < 2; round++) {
    assert.ok(round < 1000, 'it was not tried');
    await sleep(10);
  }
  assert.equal(lines[1], 'a segment of the journal could not be retired; it is kept and tried again');
  assert.deepEqual(segments(), ['00000001.log']);
  assert.equal(journal.mayHold('repo/busy'), true);
  await journal.settle('repo/busy');
  locks.release(join(base, 'repo/busy'));
});

test('an adopted journal that cannot be retired stays for the next start and delays nothing', async t => {
  const { base } = fixture(t);
  const folder = join(base, 'journal/ended');
  mkdirSync(folder, { recursive: true });
  const content = Buffer.from('x');
  const records = encodeRecords([{ kind: 'put', name: 'repo/held', mtimeNs: 1n, content }]);
  writeFileSync(join(folder, '00000001.log'), Buffer.concat([encodeHead('boot'), records]));
  const lines: string[] = [];
  const retirement = new RefusingRetirement(base);
  const adopted = new AdoptedJournals([folder], retirement, { ...silentLogger, warn: (_, message) => lines.push(message) });
  await adopted.release('repo/of another name');
  await adopted.release('repo/held');
  assert.deepEqual(lines, ['a journal that an ended process left could not be retired; the next start tries again']);
  assert.deepEqual(readdirSync(folder), ['00000001.log']);
  await retirement.close();
});
