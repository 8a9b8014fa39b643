import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { resumedRead, streamLength } from '../../src/block/index.js';
import type { ByteRange, ReadAnswer, ResumableRead } from '../../src/block/index.js';

const content = Buffer.from('0123456789');

/** One answer of a store: the bytes it sends of those that were asked for, and whether the connection then breaks. */
interface Sent {
  readonly bytes: number;
  readonly breaks?: boolean;
  readonly announces?: boolean;
  readonly version?: string;
}

function store(answers: readonly Sent[], options: Partial<ResumableRead> = {}) {
  const asked: string[] = [];
  const rest = answers.values();
  const open = async (range: ByteRange | undefined, { version }: { version?: string | undefined }): Promise<ReadAnswer> => {
    const { start, end } = range ?? { start: 0, end: content.length - 1 };
    asked.push(`${start}-${end}${version === undefined ? '' : ` of ${version}`}`);
    if (start >= content.length) throw new RangeError('past the end');
    const wanted = content.subarray(start, end + 1);
    const { bytes, breaks = false, announces = true, version: own = 'v1' } = rest.next().value ?? assert.fail('asked once more');
    if (version !== undefined && version !== own) throw new Error('changed');
    async function* sending(): AsyncGenerator<Buffer> {
      for (const byte of wanted.subarray(0, bytes)) yield Buffer.of(byte);
      await turn();
      if (breaks) throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    }
    const body = Readable.from(sending(), { objectMode: false });
    return { body, length: announces ? wanted.length : undefined, version: own === '' ? undefined : own };
  };
  const read = (range?: ByteRange): Promise<Readable> =>
    resumedRead({
      range,
      open,
      isPastEnd: error => error instanceof RangeError,
      explain: error => new Error(`answer: ${(error as Error).message}`),
      explainBreak: error => new Error(`broken: ${error.message}`),
      ...options,
    });
  return { asked, read };
}

describe('a read that is taken up again', () => {
  it('continues where a connection broke or ended early, for the same content', async () => {
    const { asked, read } = store([{ bytes: 3, breaks: true }, { bytes: 2 }, { bytes: 9 }]);
    const stream = await read();
    assert.equal(streamLength(stream), 10);
    assert.deepEqual(await buffer(stream), content);
    assert.deepEqual(asked, ['0-9', '3-9 of v1', '5-9 of v1']);
    const part = store([{ bytes: 1, breaks: true }, { bytes: 9 }]);
    assert.equal((await buffer(await part.read({ start: 4, end: 7 }))).toString(), '4567');
    assert.deepEqual(part.asked, ['4-7', '5-7 of v1']);
  });

  it('is complete when the connection breaks after the last byte', async () => {
    const { asked, read } = store([{ bytes: 10, breaks: true }]);
    assert.deepEqual(await buffer(await read()), content);
    assert.deepEqual(asked, ['0-9']);
  });

  it('has no bytes when the range begins after the end', async () => {
    const stream = await store([]).read({ start: 10, end: 12 });
    assert.deepEqual([streamLength(stream), (await buffer(stream)).length], [0, 0]);
  });

  it('fails when no byte arrives by four connections in a row, and no earlier', async () => {
    const broken: Sent = { bytes: 0, breaks: true };
    const { asked, read } = store([broken, broken, broken, { bytes: 1, breaks: true }, broken, broken, broken]);
    await assert.rejects(buffer(await read()), { message: 'broken: reset' });
    assert.deepEqual(asked.slice(3), ['0-9 of v1', '1-9 of v1', '1-9 of v1', '1-9 of v1']);
  });

  it('never continues with other content, nor with content that may be another', async () => {
    const first = { bytes: 3, breaks: true };
    await assert.rejects(buffer(await store([first, { bytes: 9, version: 'v2' }]).read()), { message: 'answer: changed' });
    await assert.rejects(buffer(await store([{ ...first, version: '' }]).read()), { message: 'broken: reset' });
    await assert.rejects(buffer(await store([{ ...first, announces: false }]).read()), { message: 'broken: reset' });
    assert.equal((await buffer(await store([{ bytes: 10, announces: false }]).read())).length, 10);
  });

  it('breaks a connection that is silent for too long, but not for a reader that is slow', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const silent = new Readable({ read: () => undefined });
    const bodies = [silent, Readable.from([content.subarray(0, 5), content.subarray(5)], { objectMode: false })].values();
    const { read } = store([], {
      idleTimeout: 1000,
      open: async () => ({ body: bodies.next().value ?? assert.fail('asked once more'), length: 10, version: 'v1' }),
    });
    const chunks = (await read())[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    const first = chunks.next();
    await turn();
    t.mock.timers.tick(1000);
    const received = [(await first).value as Buffer];
    await turn();
    t.mock.timers.tick(5000);
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) received.push(next.value);
    assert.deepEqual(Buffer.concat(received), content);
  });

  it('gives the connection back when its reader stops, and when the request is cancelled', async () => {
    for (const how of ['stops', 'is cancelled']) {
      const silent = new Readable({ read: () => undefined });
      const cancel = new AbortController();
      const { read } = store([], { signal: cancel.signal, open: async () => ({ body: silent, length: 10, version: 'v1' }) });
      const stream = await read();
      stream.on('error', () => undefined).resume();
      await turn();
      const closed = once(silent, 'close');
      if (how === 'stops') stream.destroy();
      else cancel.abort();
      await closed;
    }
  });
});
