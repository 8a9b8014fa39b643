/** Interrupted uploads in parts resume where they stopped. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { packageFolder } from './fixture.js';
import { PartsStore } from './parts-store.js';
import type { TestContext } from 'node:test';

const mebibyte = 2 ** 20;
const partSize = 5 * mebibyte;
const count = 12;
/** Parts of one upload under way at a time. */
const parallel = 5;
/** Unix seconds. */
const longAgo = 1_000_000_000;

/** Every part differs from every other. */
function content(salt: string): Buffer {
  const bytes = Buffer.alloc(count * partSize - 7);
  for (let i = 0; i < count; i++) bytes.write(`${salt}, part ${i}`, i * partSize);
  return bytes;
}

/** What the store gives an object of these bytes. */
function checksum(bytes: Buffer): string {
  const whole = createHash('md5');
  for (let i = 0; i < count; i++)
    whole.update(
      createHash('md5')
        .update(bytes.subarray(i * partSize, (i + 1) * partSize))
        .digest(),
    );
  return `${whole.digest('hex')}-${count}`;
}

class Uploader {
  readonly store: PartsStore;
  readonly home = scratchFolder();
  readonly file = join(this.home, 'large');
  readonly folder = join(this.home, '.cli', 'uploads');
  bytes = content('first');

  private constructor(store: PartsStore) {
    this.store = store;
    this.write(longAgo);
  }

  /** @param time Unix seconds. */
  write(time: number): void {
    writeFileSync(this.file, this.bytes);
    utimesSync(this.file, time, time);
  }

  static async start(t: TestContext): Promise<Uploader> {
    const store = await PartsStore.start();
    t.after(() => store.close());
    return new Uploader(store);
  }

  launch(): { readonly kill: (signal: NodeJS.Signals) => void; readonly ended: Promise<{ code: number | null; complaint: string }> } {
    const child = spawn(process.execPath, [join(packageFolder, 'bin', 'cli.js'), 'fs', 'upload', 'srv://lakes/main/x', '-s', this.file], {
      env: {
        PATH: process.env.PATH,
        HOME: this.home,
        CLI_SERVER_ENDPOINT_URL: this.store.url,
        CLI_CREDENTIALS_ACCESS_KEY_ID: 'the-key',
        CLI_CREDENTIALS_SECRET_ACCESS_KEY: 'the-secret',
        CLI_SERVER_RETRIES_ENABLED: 'false',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = Promise.all([once(child, 'close'), text(child.stderr)]).then(([[code], complaint]) => ({
      code: code as number | null,
      complaint,
    }));
    return { kill: signal => void child.kill(signal), ended };
  }

  /** Uploads, and is stopped at a part. */
  async stopAt(part: number, signal: NodeJS.Signals): Promise<string> {
    const running = this.launch();
    this.store.beforePart = number => {
      if (number === part) running.kill(signal);
      return undefined;
    };
    const { code, complaint } = await running.ended;
    this.store.beforePart = () => undefined;
    assert.notEqual(code, 0);
    return complaint;
  }

  async finish(): Promise<string> {
    const { code, complaint } = await this.launch().ended;
    assert.equal(code, 0, complaint);
    assert.equal(this.store.objects.get('x'), checksum(this.bytes));
    assert.deepEqual(this.records(), [], 'nothing is remembered of a finished upload');
    assert.equal(this.store.uploads.size, 0);
    return complaint;
  }

  records(): string[] {
    return readdirSync(this.folder).map(name => join(this.folder, name));
  }

  /** Parts that are remembered as stored. */
  remembered(): number[] {
    const [file = ''] = this.records();
    return readFileSync(file, 'utf8')
      .split('\n')
      .slice(1, -1)
      .map(line => (JSON.parse(line) as { part_number: number }).part_number);
  }
}

test('an upload that was killed sends only what is missing', async t => {
  const uploader = await Uploader.start(t);
  const { store } = uploader;
  for (let round = 0; round < 3; round++) {
    const part = randomInt(parallel + 1, count + 1);
    await t.test(`killed at part ${part} of ${count}`, async () => {
      store.objects.clear();
      store.sent.length = 0;
      await uploader.stopAt(part, 'SIGKILL');
      const remembered = uploader.remembered();
      assert.ok(remembered.length >= part - parallel, `${remembered.length} parts are remembered`);
      const [record = ''] = uploader.records();
      assert.equal(statSync(record).mode & 0o777, 0o600);
      assert.equal(statSync(uploader.folder).mode & 0o777, 0o700);
      assert.doesNotMatch(readFileSync(record, 'utf8'), /let-me-in|the-key|the-secret/);
      store.sent.length = 0;
      const told = await uploader.finish();
      assert.deepEqual(
        store.sent.toSorted((a, b) => a - b),
        Array.from({ length: count }, (_, i) => i + 1).filter(number => !remembered.includes(number)),
      );
      assert.match(told, new RegExp(`resuming the interrupted upload of .*large: ${remembered.length} of ${count} parts are stored`));
    });
  }
  assert.deepEqual(store.aborted, []);
});

test('Ctrl-C says how to resume', async t => {
  const uploader = await Uploader.start(t);
  const complaint = await uploader.stopAt(count - 1, 'SIGINT');
  const { length } = uploader.remembered();
  assert.match(
    complaint,
    new RegExp(`^${length} of ${count} parts of .*large are stored; within a day, the same command sends only the rest\ninterrupted`),
  );
  uploader.store.sent.length = 0;
  await uploader.finish();
  assert.equal(uploader.store.sent.length, count - length);
});

test('sends a changed file again, and a part that changed unnoticed', async t => {
  const uploader = await Uploader.start(t);
  const { store } = uploader;
  await uploader.stopAt(count, 'SIGKILL');
  const [changed = 0] = uploader.remembered();
  uploader.bytes.write('unseen', (changed - 1) * partSize);
  uploader.write(longAgo);
  const remembered = uploader.remembered().length;
  store.sent.length = 0;
  await uploader.finish();
  assert.ok(store.sent.includes(changed), `part ${changed} is sent again`);
  assert.equal(store.sent.length, count - remembered + 1);

  await uploader.stopAt(count, 'SIGKILL');
  uploader.bytes = content('second');
  uploader.write(longAgo + 1);
  store.sent.length = 0;
  await uploader.finish();
  assert.equal(store.sent.length, count);
  assert.deepEqual(store.aborted, ['upload-2'], 'the upload of what the file was before is given up');
});

test('restarts an upload that the server forgot, without a message', async t => {
  const uploader = await Uploader.start(t);
  const { store } = uploader;
  await uploader.stopAt(count, 'SIGKILL');
  store.uploads.clear();
  await uploader.finish();
});

test('an upload whose completion got lost on the way is complete', async t => {
  const uploader = await Uploader.start(t);
  const { store } = uploader;
  const running = uploader.launch();
  store.afterComplete = () => running.kill('SIGKILL');
  assert.notEqual((await running.ended).code, 0);
  assert.equal(uploader.remembered().length, count);
  store.afterComplete = () => {};
  store.sent.length = 0;
  await uploader.finish();
  assert.deepEqual(store.sent, []);
});

test('a refused upload leaves nothing', async t => {
  const uploader = await Uploader.start(t);
  const { store } = uploader;
  store.beforePart = number => (number >= parallel + 1 ? 403 : undefined);
  const { code, complaint } = await uploader.launch().ended;
  assert.equal(code, 1);
  assert.match(complaint, /^request failed: 403 Forbidden\n/);
  assert.deepEqual([uploader.records(), store.aborted, store.uploads.size], [[], ['upload-1'], 0]);
});
