/** Chunked bodies however they are cut, and what is wrong with them. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { startChecksum } from '../src/server/body/checksum.js';
import { ChunkDecoder } from '../src/server/body/chunks.js';
import { S3Error } from '../src/server/protocol/errors.js';
import { chunkSigner, signText } from '../src/server/signature/v4.js';
import type { ChunkOptions, ChunkSigner } from '../src/server/body/chunks.js';

const published = {
  scope: { day: '20130524', region: 'us-east-1', service: 's3' },
  date: '20130524T000000Z',
  signedHeaders: '',
  payloadHash: '',
};
const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';

/** What the client of the published examples sends. */
const signedBody = Buffer.from(
  `10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n${'a'.repeat(65_536)}\r\n` +
    `400;chunk-signature=0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497\r\n${'a'.repeat(1024)}\r\n` +
    '0;chunk-signature=b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9\r\n\r\n',
);
const trailerBody = Buffer.from(
  `10000;chunk-signature=b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2\r\n${'a'.repeat(65_536)}\r\n` +
    `400;chunk-signature=1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7\r\n${'a'.repeat(1024)}\r\n` +
    '0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992\r\n' +
    'x-amz-checksum-crc32c:sOO8/Q==\r\nx-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n',
);
const signer = (): ChunkSigner =>
  chunkSigner({ ...published, signature: '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9' }, secret);
const trailerSigner = (): ChunkSigner =>
  chunkSigner({ ...published, signature: '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e' }, secret);

function decode(pieces: Iterable<Buffer>, options: ChunkOptions): { data: Buffer; trailers: ReadonlyMap<string, string> } {
  const decoder = new ChunkDecoder(options);
  const data: Buffer[] = [];
  for (const piece of pieces) data.push(...decoder.push(piece));
  decoder.end();
  return { data: Buffer.concat(data), trailers: decoder.trailers };
}

function codeOf(work: () => unknown): string {
  try {
    work();
    return 'ok';
  } catch (error) {
    if (error instanceof S3Error) return error.code;
    throw error;
  }
}

function* cut(body: Buffer, lengths: readonly number[]): Generator<Buffer> {
  let at = 0;
  for (let i = 0; at < body.length; i++) {
    const length = lengths[i % lengths.length] ?? body.length;
    yield body.subarray(at, at + length);
    at += length;
  }
}

test('published bodies decode, cut anywhere', () => {
  const expected = Buffer.alloc(66_560, 'a');
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 8 }), lengths => {
      assert.deepEqual(decode(cut(signedBody, lengths), { signer: signer() }).data, expected);
      const { data, trailers } = decode(cut(trailerBody, lengths), { signer: trailerSigner(), trailers: ['x-amz-checksum-crc32c'] });
      assert.deepEqual(data, expected);
      assert.equal(trailers.get('x-amz-checksum-crc32c'), 'sOO8/Q==');
    }),
    { numRuns: 60 },
  );
});

test('every split of a small unsigned body', () => {
  for (const between of ['', '\r\n'])
    for (const ending of ['\r\n', '\n']) {
      const body = Buffer.from(`3\r\nabc\r\n5;x=y\r\n\r\n0\r\n\r\n0\r\n${between}x-amz-checksum-crc32: AAAAAA==${ending}\r\n`);
      for (let i = 0; i <= body.length; i++)
        for (let j = i; j <= body.length; j++) {
          const { data } = decode([body.subarray(0, i), body.subarray(i, j), body.subarray(j)], { trailers: ['x-amz-checksum-crc32'] });
          assert.equal(data.toString(), 'abc\r\n0\r\n');
        }
    }
});

test('arbitrary content survives framing and cutting', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 1 }),
      (chunks, lengths) => {
        const framed = Buffer.concat([
          ...chunks.flatMap(chunk => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
          Buffer.from('0\r\n\r\n'),
        ]);
        assert.deepEqual(decode(cut(framed, lengths), {}).data, Buffer.concat(chunks));
      },
    ),
  );
});

test('changed bytes of signed bodies never pass', () => {
  fc.assert(
    fc.property(fc.nat(trailerBody.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
      const changed = Buffer.from(trailerBody);
      changed[at] = ((changed[at] ?? 0) + by) % 256;
      const code = codeOf(() => decode([changed], { signer: trailerSigner(), trailers: ['x-amz-checksum-crc32c'] }));
      // Case of lengths and names, and white space around values, are not part of what is signed.
      if (code === 'ok')
        assert.equal(
          changed.toString('latin1').toLowerCase().replace(/[\s]/g, ''),
          trailerBody.toString('latin1').toLowerCase().replace(/[\s]/g, ''),
        );
    }),
    { numRuns: 300 },
  );
});

test('truncation is noticed at every byte', () => {
  const ends = [signedBody.length - 2];
  for (let length = signedBody.length - 200; length < signedBody.length; length++) {
    const code = codeOf(() => decode([signedBody.subarray(0, length)], { signer: signer() }));
    assert.equal(code, ends.includes(length) ? 'ok' : 'IncompleteBody', `${length} of ${signedBody.length}`);
  }
});

test('malformed framing', () => {
  const trailers = ['x-amz-checksum-crc32'];
  const rows: [string, ChunkOptions, string][] = [
    ['xyz\r\n', {}, 'InvalidRequest'],
    ['fffffffffffffffff\r\n', {}, 'InvalidRequest'],
    ['ffffffffffffffff\r\n', {}, 'InvalidRequest'],
    ['3\nabc', {}, 'InvalidRequest'],
    ['3\r\nabcd\r\n', {}, 'InvalidRequest'],
    [`${'0'.repeat(5000)}`, {}, 'InvalidRequest'],
    ['0\r\n\r\nmore', {}, 'InvalidRequest'],
    ['0\r\nx-other: 1\r\n\r\n', { trailers }, 'InvalidRequest'],
    ['0\r\nx-amz-checksum-crc32: 1\r\nx-amz-checksum-crc32: 1\r\n\r\n', { trailers }, 'InvalidRequest'],
    ['0\r\n\r\n\r\n', { trailers }, 'InvalidRequest'],
    ['', {}, 'IncompleteBody'],
    ['3\r\nab', {}, 'IncompleteBody'],
    ['0\r\n\r\n', { trailers }, 'IncompleteBody'],
    ['0\r\n\r\n', { signer: signer() }, 'SignatureDoesNotMatch'],
  ];
  for (const [body, options, code] of rows)
    assert.equal(
      codeOf(() => decode([Buffer.from(body)], options)),
      code,
      JSON.stringify(body.slice(0, 40)),
    );
});

test('checksums have their published check values', () => {
  const values: Record<string, string> = {
    crc32: 'cbf43926',
    crc32c: 'e3069283',
    crc64nvme: 'ae8b14860a799888',
    sha1: createHash('sha1').update('123456789').digest('hex'),
    sha256: createHash('sha256').update('123456789').digest('hex'),
  };
  for (const [name, value] of Object.entries(values)) {
    const digest = startChecksum(`x-amz-checksum-${name}`);
    digest.update(Buffer.from('123456789'));
    assert.equal(digest.digest().toString('hex'), value, name);
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(200), (bytes, at) => {
      for (const name of Object.keys(values)) {
        const [whole, cutUp] = [startChecksum(`x-amz-checksum-${name}`), startChecksum(`x-amz-checksum-${name}`)];
        whole.update(Buffer.from(bytes));
        cutUp.update(Buffer.from(bytes.subarray(0, at)));
        cutUp.update(Buffer.from(bytes.subarray(at)));
        assert.deepEqual(cutUp.digest(), whole.digest());
      }
    }),
  );
});

test('beyond maxSigningKeys: keys are derived again, and are the same', () => {
  const sign = (day: number): string => signText('text', { ...published.scope, day: String(20_300_000 + day) }, secret);
  const first = sign(0);
  for (let day = 1; day <= 1000; day++) sign(day);
  assert.equal(sign(0), first);
  assert.notEqual(sign(1), first);
});
