/** The owner of a database and processes that connect to it, well-behaved or not. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '@srv/kernel';
import { collect, heldBytes, rejectsWith, seededRandom } from '@srv/kernel/testing';
import { ClassicLevel as Level } from 'classic-level';
import { openLocalKvStore, openSharedKvStore } from '../../src/server/open.js';
import { RecoveringDatabase } from '../../src/server/recovering-database.js';
import { frameOf } from '../../src/server/shared/frames.js';
import { greeting } from '../../src/server/shared/hello.js';
import { encodeRequest } from '../../src/server/shared/messages.js';
import { Owner } from '../../src/server/shared/owner.js';
import { LocalKvStore } from '../../src/server/store.js';
import { ConnectionCutter, OwnerProcess, group, openPeer } from '../../src/testing/owner-process.js';
import type { Socket } from 'node:net';
import type { Database } from '../../src/server/recovering-database.js';

const key = (text: string): Buffer => Buffer.from(text);
let folder = '';
let serial = 0;
const newPath = (): string => join(folder, `db-${++serial}`);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'srv-kv-shared-'));
});
after(() => rm(folder, { recursive: true, force: true }));

test('two servers that were started by hand do not share: each reports that the folder is in use', async () => {
  const path = newPath();
  const owner = await OwnerProcess.start(path);
  const options = { path, syncWrites: true, prefetchSize: 256 };
  const inUse = new RegExp(`^database.local.path: ${path} is in use by another process; stop that process or choose another folder$`);
  await rejectsWith(() => openLocalKvStore(options), 'unavailable', inUse);
  await rejectsWith(() => openSharedKvStore({ ...options, group: 'another server' }), 'unavailable', inUse);
  await owner.stop();
  const alone = await openLocalKvStore(options);
  await rejectsWith(() => openSharedKvStore({ ...options, group, timeoutMs: 50 }), 'unavailable', inUse);
  await alone.close();
});

test('the socket is for this user alone, and goes with its owner', async () => {
  const path = newPath();
  const store = await openPeer(path);
  assert.ok((await readdir(path)).includes('owner.sock'));
  await store.close();
  assert.ok(!(await readdir(path)).includes('owner.sock'));
});

test('a folder whose path is too long for a socket has it elsewhere', async () => {
  const path = join(folder, 'long'.repeat(30), 'db');
  await mkdir(dirname(path), { recursive: true });
  const owner = await openPeer(path);
  const peer = await openPeer(path);
  await peer.set('p', key('k'), key('v'));
  assert.equal((await owner.get('p', key('k')))?.value.toString(), 'v');
  const elsewhere = dirname(await readFile(join(path, 'owner.address'), 'utf8'));
  await owner.close();
  assert.equal((await peer.get('p', key('k')))?.value.toString(), 'v');
  await peer.close();
  await assert.rejects(readdir(elsewhere), { code: 'ENOENT' });
  assert.ok(!(await readdir(path)).includes('owner.address'));
});

test('an owner that closes hands over: nothing fails, and nothing is written twice or lost', async () => {
  const path = newPath();
  const earlier = [await openPeer(path), await openPeer(path)];
  const last = await openPeer(path);
  const acknowledged: string[] = [];
  let goesOn = true;
  const work = async (worker: number): Promise<void> => {
    for (let i = 0; goesOn; i++) {
      const name = `${worker}-${i}`;
      await last.set('p', key(name), key(name));
      acknowledged.push(name);
      assert.equal((await last.get('p', key(name)))?.value.toString(), name);
    }
  };
  const working = Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(work));
  for (const store of earlier) {
    const before = acknowledged.length;
    while (acknowledged.length < before + 100) await sleep(1);
    await store.close();
  }
  const before = acknowledged.length;
  while (acknowledged.length < before + 100) await sleep(1);
  goesOn = false;
  await working;
  const found = new Set((await collect(last.scan('p'))).map(entry => entry.key.toString()));
  assert.deepEqual([...found].sort(), acknowledged.sort());
  await last.close();
});

test('a scan continues after its last key when its owner is killed, and an abandoned one holds nothing', async () => {
  const path = newPath();
  const owner = await OwnerProcess.start(path);
  const peer = await openPeer(path);
  const names = Array.from({ length: 1000 }, (_, i) => String(i).padStart(4, '0'));
  await Promise.all(names.map(name => peer.set('p', key(name), key(name))));
  const found: string[] = [];
  for await (const page of peer.scan('p', { batchSize: 10 })) {
    found.push(...page.map(entry => entry.key.toString()));
    if (found.length === 10) await owner.kill();
  }
  assert.deepEqual(found, names);
  for await (const page of peer.scan('p', { batchSize: 3 })) {
    assert.equal(page.length, 3);
    break;
  }
  await peer.close();
});

test('without an owner a read and a write fail after their timeout, and work again once there is one', async () => {
  const path = newPath();
  const first = await OwnerProcess.start(path);
  const peer = await openPeer(path, false, 300);
  await peer.set('p', key('k'), key('v'));
  await first.kill();
  const gone = new RegExp(`^the key-value store in ${path}: the process that has it open has ended; nothing was changed; try again$`);
  await rejectsWith(() => peer.get('p', key('k')), 'unavailable', gone);
  await rejectsWith(() => peer.set('p', key('k'), key('w')), 'unavailable', gone);
  const controller = new AbortController();
  const waiting = rejectsWith(() => peer.get('p', key('k'), controller.signal), 'cancelled');
  controller.abort();
  await waiting;
  const second = await OwnerProcess.start(path);
  assert.equal((await peer.get('p', key('k')))?.value.toString(), 'v');
  await peer.close();
  await second.stop();
});

test('a write whose answer is lost fails as one that may have happened; a read is asked again', async () => {
  const path = newPath();
  const owner = await OwnerProcess.start(path);
  const peer = await openPeer(path);
  await peer.set('p', key('k'), key('v'));
  owner.signal('SIGSTOP');
  const perhaps = /the process that has it open has ended; the write may or may not have happened$/;
  const writing = [
    rejectsWith(() => peer.set('p', key('a'), key('w')), 'unavailable', perhaps),
    rejectsWith(() => peer.setIf('p', key('k'), key('w'), { kvPredicate: key('v') }), 'unavailable', perhaps),
    rejectsWith(() => peer.delete('p', key('b')), 'unavailable', perhaps),
  ];
  const reading = peer.get('p', key('k'));
  const controller = new AbortController();
  const warnings: Error[] = [];
  process.on('warning', warning => warnings.push(warning));
  const cancelled = Promise.all(
    Array.from({ length: 20 }, () => rejectsWith(() => peer.get('p', key('k'), controller.signal), 'cancelled')),
  );
  await sleep(30);
  controller.abort();
  await cancelled;
  assert.deepEqual(warnings, []);
  await owner.kill();
  await Promise.all(writing);
  assert.match(String((await reading)?.value), /^[vw]$/);
  await peer.close();
});

/** An owner in this process, whose disk takes as long as the test wants. */
async function slowOwner(): Promise<{
  readonly path: string;
  /** Resolves when the first write has reached the disk, which holds it. */
  readonly writing: Promise<void>;
  release(): void;
  close(): Promise<void>;
}> {
  const path = newPath();
  const db: Database = new Level<Buffer, Buffer>(path, { keyEncoding: 'buffer', valueEncoding: 'buffer' });
  await db.open();
  let release = (): void => {};
  const disk = new Promise<void>(resolve => {
    release = resolve;
  });
  const batch = db.batch.bind(db) as (operations: unknown, options: unknown) => Promise<void>;
  const writing = new Promise<void>(begin => {
    Object.assign(db, {
      async batch(operations: unknown, options: unknown): Promise<void> {
        begin();
        await disk;
        await batch(operations, options);
      },
    });
  });
  const store = new LocalKvStore(new RecoveringDatabase(db, { reopen: () => db.open() }), { syncWrites: true, prefetchSize: 256 });
  const owner = await Owner.listen({ store, folder: path, group, log: silentLogger });
  return {
    path,
    writing,
    release,
    close: async () => {
      await owner.close();
      await store.close();
    },
  };
}

test('while the disk of the owner is slow its peers read, and their writes are bounded and all answered', async () => {
  const owner = await slowOwner();
  const peer = await openPeer(owner.path, false);
  const value = Buffer.alloc(100_000);
  let done = 0;
  const writes = Promise.all(Array.from({ length: 400 }, (_, i) => peer.set('p', key(`k${i}`), value).then(() => done++)));
  assert.equal(await peer.get('p', key('nothing')), undefined);
  assert.deepEqual(await collect(peer.scan('p')), []);
  await sleep(50);
  assert.equal(done, 0, 'a write is answered when it is on the disk');
  owner.release();
  await writes;
  assert.equal((await collect(peer.scan('p'))).length, 400);
  // An owner that stops answers what it was asked.
  const late = peer.set('p', key('late'), value);
  await Promise.all([late, sleep(5).then(() => peer.close())]);
  await owner.close();
});

test('answers a peer that lost the answer to a write only once that write is done', async () => {
  const owner = await slowOwner();
  const cutter = await ConnectionCutter.open(owner.path, `${owner.path}-cutter`);
  const peer = await openPeer(owner.path, false);
  const writing = rejectsWith(() => peer.set('p', key('k'), key('v')), 'unavailable', /the write may or may not have happened$/);
  await owner.writing;
  cutter.cut();
  await writing;
  let isAnswered = false;
  const reading = peer.get('p', key('k')).finally(() => (isAnswered = true));
  await sleep(30);
  // Another connection breaks, which waits for what was asked on the first.
  cutter.cut();
  await sleep(30);
  assert.ok(!isAnswered, 'nothing is answered while it is open what the write does');
  owner.release();
  assert.equal((await reading)?.value.toString(), 'v');
  await cutter.close(owner.path);
  await peer.close();
  await owner.close();
});

async function dial(path: string): Promise<Socket> {
  const socket = connect(join(path, 'owner.sock'));
  socket.on('error', () => undefined);
  socket.resume();
  await once(socket, 'connect');
  return socket;
}

function helloOf(name: string, ofGroup = group): Buffer {
  const payload = greeting(ofGroup, name);
  return frameOf([payload], payload.length);
}

test('a peer that connects again loses its earlier connection, and what that still holds', async () => {
  const path = newPath();
  const owner = await openPeer(path);
  const [first, other] = [await dial(path), await dial(path)];
  first.write(helloOf('a peer'));
  other.write(helloOf('another peer'));
  await Promise.all([once(first, 'data'), once(other, 'data')]);
  const ended = once(first, 'close');
  const second = await dial(path);
  second.write(helloOf('a peer'));
  await ended;
  assert.ok(!other.destroyed && !second.destroyed);
  other.destroy();
  second.destroy();
  await owner.close();
});

test('a malformed request ends its own connection and nothing else', async t => {
  const random = seededRandom();
  t.diagnostic(`seed ${random.seed}; replay with SRV_TEST_SEED`);
  const path = newPath();
  const owner = await openPeer(path);
  const peer = await openPeer(path, false);
  const hello = helloOf('noise');
  const noise = (): Buffer => Buffer.from(Array.from({ length: 1 + random.below(200) }, () => random.below(256)));
  const tooLong = Buffer.from([0x7f, 0xff, 0xff, 0xff]);
  const unknownKind = frameOf([Buffer.from([200, 0, 0, 0, 1, 0, 0, 0, 0])], 9);
  for (const bytes of [
    tooLong,
    Buffer.concat([hello, tooLong]),
    Buffer.concat([hello, unknownKind]),
    helloOf('outsider', 'another group'),
    frameOf([key('{"0":1}')], 7),
    Buffer.concat([frameOf([Buffer.alloc(0)], 0), hello]),
  ]) {
    const socket = await dial(path);
    const closed = once(socket, 'close');
    socket.write(bytes);
    await closed;
  }
  for (let i = 0; i < 100; i++) {
    const socket = await dial(path);
    socket.write(Buffer.concat([...(i % 2 === 0 ? [hello] : []), frameOf([noise()], 1 + random.below(100)), noise()]));
    await sleep(1);
    socket.destroy();
  }
  await peer.set('p', key('k'), key('v'));
  assert.equal((await owner.get('p', key('k')))?.value.toString(), 'v');
  await peer.close();
  await owner.close();
});

test('a peer that asks and does not read delays no other peer', async () => {
  const path = newPath();
  const owner = await openPeer(path);
  await owner.set('p', key('large'), Buffer.alloc(1 << 20));
  const deaf = connect(join(path, 'owner.sock'));
  await once(deaf, 'connect');
  deaf.pause();
  deaf.write(helloOf('deaf'));
  const before = heldBytes();
  const ask = encodeRequest(1, { kind: 'get', partition: 'p', key: key('large') });
  for (let i = 0; i < 300; i++) deaf.write(frameOf([ask], ask.length));
  await sleep(100);
  const held = heldBytes() - before;
  assert.ok(held < 100 << 20, `${held} bytes wait for one that does not read`);
  const peer = await openPeer(path, false);
  assert.equal((await peer.get('p', key('large')))?.value.length, 1 << 20);
  deaf.destroy();
  await peer.close();
  await owner.close();
});
