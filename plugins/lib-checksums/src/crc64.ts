/** CRC-64/NVME. A module of its own: its compiled code is loaded with it. */
import { createCRC64 } from 'hash-wasm';
import type { RunningDigest } from './running-digest.js';

/** The reflected polynomial. */
const hasher = await createCRC64('9a6c9329ac4bc9b5');
const beginning = hasher.init().save();

/** Every digest keeps its own state, of 12 bytes; they share the code. */
export function crc64nvme(): RunningDigest {
  let state = beginning;
  return {
    update(bytes) {
      hasher.load(state);
      state = hasher.update(bytes).save();
    },
    digest() {
      hasher.load(state);
      return Buffer.from(hasher.digest('binary'));
    },
  };
}
