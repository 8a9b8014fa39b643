/** A thread that reads ranges, one after the other. */
import { parentPort } from 'node:worker_threads';
import { isSrvError, messageOf } from '@srv/kernel/errors';
import { columnsOfRange } from './read-range.js';
import type { RangeAnswer, RangeRequest } from './threads.js';

parentPort?.on('message', ({ bytes, name, count }: RangeRequest) => {
  let answer: RangeAnswer;
  try {
    const file = columnsOfRange(Buffer.from(bytes), name, count);
    // Its own memory, which goes to the other thread without a copy.
    answer = { bytes: new Uint8Array(file).buffer };
  } catch (error) {
    answer = { error: { code: isSrvError(error) ? error.code : 'internal', message: messageOf(error) } };
  }
  parentPort?.postMessage(answer, 'bytes' in answer ? [answer.bytes] : []);
});
