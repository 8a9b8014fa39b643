import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { LineFile } from '../src/mark/line-file.js';

test('lines are in the file in the order in which they were added; a file without lines is empty', async () => {
  const [path, empty] = [join(scratchFolder(), 'lines'), join(scratchFolder(), 'empty')];
  const file = new LineFile(path);
  file.add('a\n');
  await file.flush();
  file.add('b\n');
  file.add('c\n');
  await file.close();
  assert.equal(readFileSync(path, 'utf8'), 'a\nb\nc\n');
  await new LineFile(empty).close();
  assert.equal(readFileSync(empty, 'utf8'), '');
});

test('the call that meets a full disk fails', { skip: existsSync('/dev/full') ? false : 'needs /dev/full' }, async () => {
  const file = new LineFile('/dev/full');
  file.add('a\n');
  await assert.rejects(file.flush(), { code: 'ENOSPC' });
  file.add('b\n');
  await assert.rejects(file.close(), { code: 'ENOSPC' });
});
