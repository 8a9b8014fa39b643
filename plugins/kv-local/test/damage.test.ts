/** Folders with files missing or damaged: what start says, what repair keeps. */
import assert from 'node:assert/strict';
import { cp, mkdtemp, open as openFile, readFile, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { silentLogger } from '@srv/kernel';
import { rejectsWith } from '@srv/kernel/testing';
import { openLocalKvStore } from '../src/server/open.js';
import { prepareRepair } from '../src/server/repair.js';
import type { KvStore, Logger } from '@srv/kernel';
import type { OpenOptions } from '../src/server/open.js';

let folder = '';
let sample = '';
const open = (path: string, options: Partial<OpenOptions> = {}): Promise<KvStore> =>
  openLocalKvStore({ path, syncWrites: true, prefetchSize: 256, ...options });
const keyOf = (i: number): Buffer => Buffer.from(`key-${String(i).padStart(4, '0')}`);
const count = 400;

/** A store with records in tables and, as after a crash, in a log of several blocks. */
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'srv-kv-damage-'));
  const path = join(folder, 'store');
  const first = await open(path);
  await first.set('old', Buffer.from('in-a-table'), Buffer.from('value'));
  await first.close();
  const second = await open(path);
  for (let i = 0; i < count; i++) await second.set('p', keyOf(i), Buffer.alloc(500, i));
  sample = join(folder, 'sample');
  await cp(path, sample, { recursive: true });
  await second.close();
});
after(() => rm(folder, { recursive: true, force: true }));

let copies = 0;
async function damaged(damage: (path: string) => Promise<unknown>): Promise<string> {
  const path = join(folder, `copy-${copies++}`);
  await cp(sample, path, { recursive: true });
  await damage(path);
  return path;
}

/** The only log with records. */
async function logOf(path: string): Promise<string> {
  const [name, ...others] = (await readdir(path)).filter(file => file.endsWith('.log'));
  assert.ok(name !== undefined && others.length === 0);
  return join(path, name);
}

async function flip(file: string, position: number, bytes = 1): Promise<void> {
  const handle = await openFile(file, 'r+');
  const { buffer } = await handle.read(Buffer.alloc(bytes), 0, bytes, position);
  await handle.write(
    buffer.map(byte => byte ^ 0x55),
    0,
    bytes,
    position,
  );
  await handle.close();
}

async function readable(path: string, options: Partial<OpenOptions> = {}): Promise<Set<string>> {
  const store = await open(path, options);
  const found = new Set<string>();
  for await (const page of store.scan('p')) {
    for (const { key, value } of page) {
      const number = Number(key.toString().slice(4));
      assert.ok(value.equals(Buffer.alloc(500, number)), `${key.toString()} holds another value`);
      found.add(key.toString());
    }
  }
  assert.ok(await store.get('old', Buffer.from('in-a-table')));
  await store.close();
  return found;
}

function recorder(): { readonly log: Logger; readonly lines: { level: string; message: string }[] } {
  const lines: { level: string; message: string }[] = [];
  const at = (level: string) => (_fields: object, message: string) => void lines.push({ level, message });
  return { lines, log: { ...silentLogger, warn: at('warn'), error: at('error') } };
}

const remedy = /restore the folder from a backup, or run `srv kv repair`, which says what would be lost before it changes anything$/;

for (const [name, damage, what] of [
  ['a lost CURRENT', path => rm(join(path, 'CURRENT')), /the file CURRENT is missing; the folder holds 1 table and 1 log\)/],
  ['garbage in CURRENT', path => writeFile(join(path, 'CURRENT'), 'garbage'), /the file CURRENT does not name a manifest/],
  ['an empty CURRENT', path => truncate(join(path, 'CURRENT'), 0), /the file CURRENT does not name a manifest/],
  [
    'a CURRENT that names a manifest that is not there',
    path => writeFile(join(path, 'CURRENT'), 'MANIFEST-000099\n'),
    /the file CURRENT names MANIFEST-000099, which is missing/,
  ],
  [
    'an empty manifest',
    async path => truncate(join(path, (await readFile(join(path, 'CURRENT'), 'latin1')).trim()), 0),
    /MANIFEST-\d+ holds no readable record/,
  ],
  [
    'a damaged manifest',
    async path => flip(join(path, (await readFile(join(path, 'CURRENT'), 'latin1')).trim()), 5),
    /MANIFEST-\d+: 1 place, \d+ bytes/,
  ],
] satisfies [string, (path: string) => Promise<unknown>, RegExp][]) {
  test(`${name} is refused, nothing changes, and repair loses nothing`, async () => {
    const path = await damaged(damage);
    const names = (await readdir(path)).sort();
    await rejectsWith(() => open(path), 'corrupt', what);
    await rejectsWith(() => open(path), 'corrupt', remedy);
    assert.deepEqual((await readdir(path)).sort(), names);
    const contents = new Map<string, Buffer>();
    for (const file of names.filter(file => /^(\d+\.|MANIFEST|CURRENT)/.test(file))) contents.set(file, await readFile(join(path, file)));

    const repair = await prepareRepair(path);
    assert.ok(repair.isNeeded);
    assert.match(repair.findings.join('\n'), /^the database does not open: /);
    assert.match(repair.findings.join('\n'), new RegExp(`${count + 1} records in 2 partitions can be read and are kept$`));
    await rejectsWith(() => open(path), 'corrupt');
    const kept = await repair.apply();
    await repair.close();
    assert.equal((await readable(path)).size, count);
    for (const [file, bytes] of contents) assert.deepEqual(await readFile(join(kept, file)), bytes, `${file} is not kept as it was`);
  });
}

test('completes a creation that was interrupted before the first write', async () => {
  const path = join(folder, 'interrupted');
  await (await open(path)).close();
  for (const name of await readdir(path)) if (!name.startsWith('MANIFEST')) await rm(join(path, name));
  await (await open(path)).close();
});

test('damage in the middle of a log is reported and refused when strict; a copy of the log is kept', async () => {
  const path = await damaged(async copy => flip(await logOf(copy), 40_000));
  const log = await logOf(path);
  const bytes = await readFile(log);
  await rejectsWith(
    () => open(path, { strict: true }),
    'corrupt',
    /has lost records \(\d+\.log: 1 place, \d+ bytes\).*start without --strict$/,
  );
  assert.deepEqual(await readFile(log), bytes);
  const { lines, log: reports } = recorder();
  const found = await readable(path, { reports });
  assert.ok(found.size < count);
  assert.deepEqual(
    lines.map(({ level, message }) => [level, message.slice(0, 38)]),
    [['error', 'the embedded database has lost records']],
  );
  const [kept = ''] = await readdir(join(path, 'lost'));
  assert.deepEqual(await readFile(join(path, 'lost', kept)), bytes);
});

test('a start that lost records is remembered: strict starts refuse until the copies are moved away', async () => {
  const path = await damaged(async copy => flip(await logOf(copy), 40_000));
  const found = await readable(path);
  const [kept = ''] = await readdir(join(path, 'lost'));
  await rejectsWith(
    () => open(path, { strict: true }),
    'corrupt',
    new RegExp(
      `lost records at an earlier start without --strict.*\\(${kept}\\) in ${path}/lost; restore .* or move ${path}/lost elsewhere`,
    ),
  );
  const repair = await prepareRepair(path);
  assert.equal(repair.isNeeded, false);
  assert.match(repair.findings.join('\n'), new RegExp(`^an earlier start lost records of ${kept}; .* in ${path}/lost`, 'm'));
  await repair.close();
  const { lines, log: reports } = recorder();
  assert.deepEqual(await readable(path, { reports }), found);
  assert.deepEqual(lines, []);
  await rename(join(path, 'lost'), join(path, 'seen'));
  assert.deepEqual(await readable(path, { strict: true }), found);
});

test('repair keeps every record of a damaged log but the damaged one', async () => {
  const path = await damaged(async copy => flip(await logOf(copy), 40_000));
  const repair = await prepareRepair(path);
  assert.match(repair.findings.join('\n'), /writes in \d+\.log: 1 place, \d+ bytes cannot be read and would be lost/);
  await repair.apply();
  await repair.close();
  assert.equal((await readable(path, { strict: true })).size, count - 1);
});

test('damage of every kind and place in a log is seen', async () => {
  const size = (await stat(await logOf(sample))).size;
  for (const position of [0, 4, 6, 20, 32_760, 32_768 + 4, 65_536, size - 1500]) {
    const path = await damaged(async copy => flip(await logOf(copy), position));
    await rejectsWith(() => open(path, { strict: true }), 'corrupt', /has lost records/);
  }
  const zeroed = await damaged(async copy => {
    const handle = await openFile(await logOf(copy), 'r+');
    await handle.write(Buffer.alloc(4096), 0, 4096, 16_384);
    await handle.close();
  });
  await rejectsWith(() => open(zeroed, { strict: true }), 'corrupt', /has lost records/);
});

test('a write that was cut off by a crash does not count as damage', async () => {
  const size = (await stat(await logOf(sample))).size;
  const path = await damaged(async copy => truncate(await logOf(copy), size - 100));
  const { lines, log: reports } = recorder();
  assert.equal((await readable(path, { strict: true, reports })).size, count - 1);
  assert.deepEqual(
    lines.map(({ level }) => level),
    ['warn'],
  );
});

test('a damaged table is named by repair with what it loses', async () => {
  const path = await damaged(async copy => {
    const [table = ''] = (await readdir(copy)).filter(file => file.endsWith('.ldb'));
    await truncate(join(copy, table), 20);
  });
  const repair = await prepareRepair(path);
  assert.match(repair.findings.join('\n'), /table \d+\.ldb is damaged: of its records 0 can be read, the others would be lost/);
  await repair.close();
});

test('a sound store needs no repair and one in use is left alone', async () => {
  const path = await damaged(() => Promise.resolve());
  const before = (await readdir(path)).sort();
  const repair = await prepareRepair(path);
  assert.equal(repair.isNeeded, false);
  await repair.close();
  assert.deepEqual(
    (await readdir(path)).filter(name => !name.startsWith('LO')).sort(),
    before.filter(name => !name.startsWith('LO')),
  );
  const store = await open(path);
  await rejectsWith(() => prepareRepair(path), 'unavailable', /is in use by another process/);
  await store.close();
  await rejectsWith(() => prepareRepair(join(folder, 'nothing')), 'not_found', /cannot be read/);
});
