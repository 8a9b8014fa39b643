/** What comes over a socket may be anything. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SrvError, absent, isSrvError, present } from '@srv/kernel';
import { seededRandom } from '@srv/kernel/testing';
import { FrameReader, ProtocolError, frameOf } from '../../src/server/shared/frames.js';
import { decodeRequests, decodeResponses, encodeRequest, encodeResponse, maxMessageBytes } from '../../src/server/shared/messages.js';
import type { Question, Reply } from '../../src/server/shared/messages.js';

const bytes = (text: string): Buffer => Buffer.from(text);
const questions: readonly Question[] = [
  { kind: 'get', partition: 'päth', key: bytes('k') },
  { kind: 'set', partition: 'p', key: bytes('k'), value: bytes('') },
  { kind: 'setIf', partition: 'p', key: bytes('k'), value: bytes('v'), condition: absent },
  { kind: 'setIf', partition: 'p', key: bytes('k'), value: bytes('v'), condition: present },
  { kind: 'setIf', partition: 'p', key: bytes('k'), value: bytes('v'), condition: { kvPredicate: bytes('before') } },
  { kind: 'delete', partition: 'p', key: bytes('k') },
  { kind: 'page', partition: 'p', start: bytes(''), size: 7 },
];
const replies: readonly Reply[] = [
  { kind: 'value', value: undefined },
  { kind: 'value', value: bytes('') },
  { kind: 'value', value: bytes('v') },
  { kind: 'written', written: true },
  { kind: 'written', written: false },
  {
    kind: 'page',
    page: {
      entries: [
        { key: bytes('k'), value: bytes('v') },
        { key: bytes('l'), value: bytes('') },
      ],
      isLast: false,
    },
  },
  { kind: 'page', page: { entries: [], isLast: true } },
  { kind: 'error', error: new SrvError('storage_full', 'no space') },
  { kind: 'moved' },
];
const frames = {
  requests: Buffer.concat(questions.map((question, i) => encodeRequest(i + 1, question))),
  responses: Buffer.concat(replies.map((reply, i) => encodeResponse(i + 1, reply))),
};

test('decodes what was encoded', () => {
  assert.deepEqual(
    [...decodeRequests(frames.requests)],
    questions.map((question, i) => ({ ...question, id: i + 1 })),
  );
  const decoded = [...decodeResponses(frames.responses)];
  assert.deepEqual(
    decoded.map(({ id, kind }) => ({ id, kind })),
    replies.map(({ kind }, i) => ({ id: i + 1, kind })),
  );
  assert.deepEqual(
    decoded.slice(0, 7),
    replies.slice(0, 7).map((reply, i) => ({ ...reply, id: i + 1 })),
  );
  const failed = decoded[7];
  assert.ok(failed?.kind === 'error' && isSrvError(failed.error, 'storage_full') && failed.error.message === 'no space');
});

test('an error code that is unknown counts as unavailable', () => {
  const message = encodeResponse(1, { kind: 'error', error: new SrvError('closed', 'gone') });
  message.write('toStri', message.indexOf('closed'));
  const [decoded] = decodeResponses(message);
  assert.ok(decoded?.kind === 'error' && isSrvError(decoded.error, 'unavailable'));
});

test('a frame arrives whole however it is cut', () => {
  const stream = Buffer.concat([bytes(''), bytes('one'), Buffer.alloc(70_000, 'x')].map(payload => frameOf([payload], payload.length)));
  for (const size of [1, 2, 3, 5, 4096, stream.length]) {
    const reader = new FrameReader(70_000);
    const found: Buffer[] = [];
    for (let at = 0; at < stream.length; at += size) {
      reader.push(stream.subarray(at, at + size));
      for (let payload = reader.next(); payload; payload = reader.next()) found.push(payload);
    }
    assert.deepEqual(
      found.map(({ length }) => length),
      [0, 3, 70_000],
    );
  }
});

test('a frame above the limit is refused by its length, before it arrives', () => {
  const reader = new FrameReader(100);
  reader.push(Buffer.from([0, 0, 0, 101]));
  assert.throws(() => reader.next(), ProtocolError);
});

test('damaged frames either decode or are refused as such, whatever is wrong with them', t => {
  const random = seededRandom();
  t.diagnostic(`seed ${random.seed}; replay with SRV_TEST_SEED`);
  for (const [frame, decode] of [
    [frames.requests, decodeRequests],
    [frames.responses, decodeResponses],
  ] as const) {
    for (let i = 0; i < 20_000; i++) {
      const damaged = Buffer.from(frame.subarray(0, random.below(frame.length + 1)));
      for (let n = random.below(4); n > 0 && damaged.length > 0; n--) damaged[random.below(damaged.length)] = random.below(256);
      try {
        for (const { id } of decode(damaged)) assert.ok(id >= 0);
      } catch (error) {
        assert.ok(error instanceof ProtocolError, String(error));
      }
    }
  }
});

test('a record that no frame can hold is refused with its size', () => {
  const question: Question = { kind: 'set', partition: 'p', key: bytes('k'), value: Buffer.alloc(maxMessageBytes) };
  assert.throws(() => encodeRequest(1, question), /a record of \d+ bytes is more than 33554432/);
});
