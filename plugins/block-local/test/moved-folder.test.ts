/** What the README advises after the base folder was moved: full addresses of its files stay readable. */
import assert from 'node:assert/strict';
import { mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { identifierType } from '@srv/lib-stores/block';
import { openLocalBlockStore } from '../src/server/open.js';

test('full addresses of a folder that was moved are read by a link at its old path', async t => {
  const home = await mkdtemp(join(tmpdir(), 'srv-moved-'));
  t.after(() => rm(home, { recursive: true }));
  const [old, moved] = [join(home, 'old'), join(home, 'moved')];
  const before = await openLocalBlockStore({ path: old });
  const relative = { namespace: 'local://source', identifier: 'data/a', identifierType: identifierType.relative };
  await before.put(relative, Buffer.from('content'));
  await before.close?.();
  const full = { namespace: 'local://other', identifier: `local://${old}/source/data/a`, identifierType: identifierType.full };
  await rename(old, moved);
  const alone = await openLocalBlockStore({ path: moved });
  await assert.rejects(async () => text(await alone.get(full)), { code: 'forbidden', message: /allowed_external_prefixes/ });
  await alone.close?.();
  await symlink(moved, old);
  for (const options of [{ path: moved, allowedExternalPrefixes: [old] }, { path: old }]) {
    const store = await openLocalBlockStore(options);
    assert.equal(await text(await store.get(full)), 'content');
    assert.equal((await store.properties(full)).size, 7);
    assert.equal(await text(await store.get(relative)), 'content');
    await store.close?.();
  }
});
