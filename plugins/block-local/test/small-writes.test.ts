/** Small files, written by a thread, with a journal and without. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { rejectsWith, scratchFolder } from '@srv/kernel/testing';
import { escapedPath } from '../src/server/files/file-name.js';
import { decodeSegment } from '../src/server/journal/journal-format.js';
import { SmallWrites } from '../src/server/small-files/small-writes.js';
import type { ThreadFailure } from '../src/server/small-files/batch-threads.js';
import type { BatchJournal } from '../src/server/small-files/small-writes.js';

const base = mkdtempSync(join(tmpdir(), 'srv-small-writes-'));
const temporary = join(base, 'unfinished');
mkdirSync(temporary);
const at = (name: string): string => join(base, name);
const opened: SmallWrites[] = [];
after(async () => {
  for (const writes of opened) await writes.close();
  rmSync(base, { recursive: true });
});

function openWrites(journal?: BatchJournal, folder = temporary): SmallWrites {
  const writes = new SmallWrites({ base, temporary: folder, ...(journal && { journal }) });
  opened.push(writes);
  return writes;
}

/** A journal of one segment. */
function oneSegment(path: string): BatchJournal & { readonly failures: ThreadFailure[]; readonly batches: number[] } {
  let size = 0;
  const failures: ThreadFailure[] = [];
  const batches: number[] = [];
  return {
    failures,
    batches,
    begin(names: readonly string[]) {
      batches.push(names.length);
      return { path, size, bootId: 'of the test' };
    },
    end(outcome) {
      if (typeof outcome === 'number') size = outcome;
      else failures.push(outcome);
    },
  };
}

const file = (name: string) => ({ name, object: name });

for (const kind of ['with a journal', 'without a journal']) {
  const path = at('journal/1/00000001.log');
  const journal = kind === 'with a journal' ? oneSegment(path) : undefined;
  const writes = openWrites(journal);
  const prefix = journal ? 'a' : 'b';
  const name = (text: string): string => `${prefix}-${text}`;

  test(`${kind}: more files at once than the thread takes together`, async () => {
    const names = Array.from({ length: 700 }, (_, i) => name(`many-${i}`));
    const written = await Promise.all(names.map((one, i) => writes.write(file(one), Buffer.from(one.repeat(i % 50)))));
    for (const [i, one] of names.entries()) {
      assert.equal(readFileSync(at(one), 'utf8'), one.repeat(i % 50));
      const { unplaced, shadows, state, journalled } = written[i] ?? assert.fail();
      assert.deepEqual({ unplaced, shadows, journalled }, { unplaced: undefined, shadows: false, journalled: journal !== undefined });
      assert.equal(state.mtimeNs, statSync(at(one), { bigint: true }).mtimeNs);
    }
    assert.deepEqual(readdirSync(temporary), []);
    if (!journal) return;
    assert.ok(journal.batches.length < names.length / 10, 'files share their batches');
    const records = Array.from(decodeSegment(readFileSync(path))?.records ?? []);
    assert.deepEqual(records.map(({ record }) => record.name).sort(), names.sort());
    for (const { record } of records) assert.deepEqual(record.kind === 'put' && Buffer.from(record.content), readFileSync(at(record.name)));
  });

  test(`${kind}: a name that is taken leaves the file where it was written, and reports what is there`, async () => {
    mkdirSync(at(name('folder')));
    mkdirSync(at('.srv-keys'), { recursive: true });
    writeFileSync(at(escapedPath(name('folder'))), '');
    const [inTheWay, missing, good] = await Promise.all([
      writes.write(file(name('folder')), Buffer.from('content')),
      writes.write(file(`nowhere/${name('lost')}`), Buffer.from('lost')),
      writes.write(file(name('good')), Buffer.from('good')),
    ]);
    assert.deepEqual([inTheWay.shadows, missing.shadows, good.shadows], [true, false, false]);
    assert.equal(good.unplaced, undefined);
    assert.equal(readFileSync(inTheWay.unplaced ?? '', 'utf8'), 'content');
    assert.equal(readFileSync(missing.unplaced ?? '', 'utf8'), 'lost');
    for (const { unplaced = '' } of [inTheWay, missing]) rmSync(unplaced);
    rmSync(at('.srv-keys'), { recursive: true });
  });

  test(`${kind}: a file that has no plain name stays where it was written`, async () => {
    const { unplaced = '', journalled } = await writes.write({ name: undefined, object: 'a//b' }, Buffer.from('content'));
    assert.equal(dirname(unplaced), temporary);
    assert.equal(readFileSync(unplaced, 'utf8'), 'content');
    assert.equal(journalled, false);
    rmSync(unplaced);
  });
}

test('a file that cannot be written leaves nothing', async () => {
  const writes = openWrites(undefined, at('no-such-folder'));
  await assert.rejects(() => writes.write(file('lost'), Buffer.from('lost')), { code: 'ENOENT' });
  assert.deepEqual(
    readdirSync(base).filter(name => name === 'lost'),
    [],
  );
});

test('when the journal fails, each file is synced separately, and the end of the journal is not trusted', async () => {
  writeFileSync(at('a-file'), '');
  const journal = oneSegment(at('a-file/00000001.log'));
  const writes = openWrites(journal);
  const { journalled, unplaced } = await writes.write(file('synced'), Buffer.from('content'));
  assert.deepEqual({ journalled, unplaced }, { journalled: false, unplaced: undefined });
  assert.equal(readFileSync(at('synced'), 'utf8'), 'content');
  assert.equal(journal.failures[0]?.code, 'ENOTDIR');
  await assert.rejects(() => writes.forget('synced'), { code: 'ENOTDIR' });
  await assert.rejects(() => openWrites().forget('synced'), /there is no journal/);
});

test('without a journal a file is synced before it has its name, with one its content is in a synced journal', () => {
  const folder = scratchFolder();
  const log = join(folder, 'calls');
  // Loaded into the threads, too.
  const spy = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';
    const paths = new Map(); const { openSync, fsyncSync, fdatasyncSync, renameSync } = fs;
    const note = line => fs.appendFileSync(${JSON.stringify(log)}, line + '\\n');
    fs.openSync = (path, ...rest) => { const file = openSync(path, ...rest); paths.set(file, path); return file; };
    for (const [name, sync] of Object.entries({ fsyncSync, fdatasyncSync }))
      fs[name] = file => { note('sync ' + paths.get(file)); return sync(file); };
    fs.renameSync = (from, to) => { note('name ' + from + ' ' + to); return renameSync(from, to); };
    syncBuiltinESMExports();`;
  const work = `import { SmallWrites } from ${JSON.stringify(new URL('../src/server/small-files/small-writes.js', import.meta.url).href)};
    const base = ${JSON.stringify(folder)};
    const journal = { begin: () => ({ path: base + '/journal/1.log', size: 0, bootId: 'test' }), end: () => undefined };
    for (const [name, more] of [['alone', {}], ['journalled', { journal }]]) {
      const writes = new SmallWrites({ base, temporary: base, ...more });
      await writes.write({ name, object: name }, Buffer.from('content'));
      await writes.close();
    }`;
  mkdirSync(join(folder, 'journal'));
  for (const [name, text] of Object.entries({ 'spy.mjs': spy, 'work.mjs': work })) writeFileSync(join(folder, name), text);
  const flags = ['--import', pathToFileURL(join(folder, 'spy.mjs')).href];
  const { status, stderr } = spawnSync(process.execPath, [...flags, join(folder, 'work.mjs')], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const calls = readFileSync(log, 'utf8').trim().split('\n');
  for (const [name, synced] of [
    ['alone', (draft: string) => draft],
    ['journalled', () => join(folder, 'journal', '1.log')],
  ] as const) {
    const at = calls.findIndex(call => call.endsWith(` ${join(folder, name)}`));
    const [, draft = ''] = /^name (\S+) /.exec(calls[at] ?? '') ?? [];
    assert.ok(at > 0 && calls.slice(0, at).includes(`sync ${synced(draft)}`), `${name}: ${calls.join(', ')}`);
  }
});

test('nothing is appended to a segment that is not as it was left', async () => {
  const path = at('journal/2/00000001.log');
  const journal = oneSegment(path);
  const writes = openWrites(journal);
  assert.equal((await writes.write(file('first'), Buffer.from('x'))).journalled, true);
  writeFileSync(path, 'torn', { flag: 'a' });
  assert.equal((await writes.write(file('second'), Buffer.from('x'))).journalled, false);
  assert.match(journal.failures[0]?.message ?? '', /bytes long instead of/);
});

test('after the end nothing is written', async () => {
  const ended = openWrites();
  await ended.write(file('before'), Buffer.from('x'));
  await ended.close();
  await rejectsWith(() => ended.write(file('late'), Buffer.from('x')), 'closed', /has been closed/);
});
