import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { rejectsWith } from '@srv/kernel/testing';
import { openLocalKvStore } from '../src/server/open.js';
import type { KvStore } from '@srv/kernel';

let folder = '';
const open = (path: string): Promise<KvStore> => openLocalKvStore({ path, syncWrites: true, prefetchSize: 256 });

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'srv-kv-open-'));
});
after(() => rm(folder, { recursive: true, force: true }));

test('a second open of one folder says which folder is in use and what to do', async () => {
  const path = join(folder, 'shared');
  const store = await open(path);
  await rejectsWith(
    () => open(path),
    'unavailable',
    new RegExp(`^database.local.path: ${path} is in use by another process; stop that process or choose another folder$`),
  );
  await store.close();
  await (await open(path)).close();
});

test('reports another process that holds the folder in the same way', async () => {
  const path = join(folder, 'elsewhere');
  const module = new URL('../src/server/open.js', import.meta.url).href;
  const script = `const { openLocalKvStore } = await import(${JSON.stringify(module)});
    const kept = await openLocalKvStore({ path: ${JSON.stringify(path)}, syncWrites: true, prefetchSize: 1 });
    console.log('open'); setTimeout(() => kept.close(), 60_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  try {
    await rejectsWith(() => open(path), 'unavailable', /elsewhere is in use by another process/);
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
});

test('a folder that cannot be made says which one', async () => {
  const file = join(folder, 'a-file');
  await writeFile(file, '');
  await rejectsWith(
    () => open(join(file, 'db')),
    'config',
    /^database\.local\.path: \S+a-file\/db cannot be written \(.*\); make it writable for this user or choose another folder$/,
  );
});

test('a folder without write permission says which one', { skip: process.seteuid === undefined && 'needs POSIX users' }, async () => {
  const path = await mkdtemp(join(folder, 'read-only-'));
  await chmod(folder, 0o755);
  await chmod(path, 0o555);
  const root = process.getuid?.() === 0;
  // Root may write anywhere: become an unprivileged user.
  if (root) process.seteuid?.(65534);
  try {
    await rejectsWith(() => open(path), 'config', /read-only-\S+ cannot be written \(.*[Pp]ermission denied.*\)/);
  } finally {
    if (root) process.seteuid?.(0);
    await chmod(path, 0o755);
  }
});
