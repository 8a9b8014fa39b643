/** Small files, written by threads. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { rejectsWith } from '@srv/kernel/testing';
import { SmallWrites } from '../src/server/small-writes.js';

const folder = mkdtempSync(join(tmpdir(), 'srv-small-writes-'));
const writes = new SmallWrites();
const at = (name: string): string => join(folder, name);
const file = (name: string) => ({ temporary: at(`${name}.new`), target: at(name), shadowed: at(`${name}.old`) });
after(async () => {
  await writes.close();
  rmSync(folder, { recursive: true });
});

test('more files at once than the threads take together', async () => {
  const names = Array.from({ length: 700 }, (_, i) => `many-${i}`);
  const written = await Promise.all(names.map((name, i) => writes.write(file(name), Buffer.from(name.repeat(i % 50)))));
  for (const [i, name] of names.entries()) {
    assert.equal(readFileSync(at(name), 'utf8'), name.repeat(i % 50));
    const { placed, shadows, state } = written[i] ?? assert.fail();
    assert.deepEqual({ placed, shadows }, { placed: true, shadows: false });
    assert.equal(state.mtimeNs, statSync(at(name), { bigint: true }).mtimeNs);
  }
});

test('a file that cannot be written fails alone and leaves nothing', async () => {
  writeFileSync(at('taken.new'), 'of somebody else');
  const lost = { ...file('lost'), temporary: join(folder, 'nowhere', 'lost') };
  const [good, taken, missing] = await Promise.allSettled([
    writes.write(file('good'), Buffer.from('good')),
    writes.write(file('taken'), Buffer.from('mine')),
    writes.write(lost, Buffer.from('lost')),
  ]);
  assert.equal(good.status, 'fulfilled');
  assert.equal(taken.status === 'rejected' && (taken.reason as { code?: string }).code, 'EEXIST');
  assert.equal(missing.status === 'rejected' && (missing.reason as { code?: string }).code, 'ENOENT');
  assert.deepEqual(
    readdirSync(folder).filter(name => /taken|lost/.test(name)),
    ['taken.new'],
  );
});

test('a name that is not free leaves the file where it was written, and tells what else is there', async () => {
  mkdirSync(at('folder'));
  writeFileSync(at('folder.old'), '');
  const { placed, shadows } = await writes.write(file('folder'), Buffer.from('content'));
  assert.deepEqual({ placed, shadows }, { placed: false, shadows: true });
  assert.equal(readFileSync(at('folder.new'), 'utf8'), 'content');
});

test('after the end nothing is written', async () => {
  const ended = new SmallWrites();
  await ended.write(file('before'), Buffer.from('x'));
  await ended.close();
  await rejectsWith(() => ended.write(file('behind'), Buffer.from('x')), 'closed', /has been closed/);
});
