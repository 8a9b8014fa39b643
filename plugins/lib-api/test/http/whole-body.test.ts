import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { smallBody, wholeBody } from '../../src/http/whole-body.js';

describe('the body of an upload', () => {
  it('passes as it is', async () => {
    const pieces = ['ab', 'c'].map(text => Buffer.from(text));
    assert.equal(Buffer.concat(await wholeBody(Readable.from(pieces, { objectMode: false })).toArray()).toString(), 'abc');
    assert.equal((await smallBody(Readable.from(pieces, { objectMode: false }), 3)).toString(), 'abc');
    await assert.rejects(smallBody(Readable.from(pieces, { objectMode: false }), 2), { code: 'invalid' });
    await assert.rejects(smallBody(Readable.from(pieces, { objectMode: false }), 4), { code: 'cancelled' });
  });

  it('is given up when it stops, and when it ends early', async () => {
    const silent = (): Readable => new Readable({ read() {} });
    await assert.rejects(wholeBody(silent(), 20).toArray(), { code: 'timeout' });
    await assert.rejects(smallBody(silent(), 5, 20), { code: 'timeout' });
    // A small one also when it never stops for long: memory is held for it.
    const trickling = silent();
    const drip = setInterval(() => trickling.push('x'), 5);
    await assert.rejects(smallBody(trickling, 1 << 20, 60), {
      code: 'timeout',
      message: /did not arrive within 0\.06 seconds; send it again/,
    });
    clearInterval(drip);
    for (const read of [(body: Readable) => wholeBody(body).toArray(), (body: Readable) => smallBody(body, 5)]) {
      const body = silent();
      const reading = read(body);
      body.destroy();
      await assert.rejects(reading, { code: 'cancelled' });
    }
  });
});
