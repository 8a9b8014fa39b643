/** Sortable ids of 12 bytes: seconds, machine, process, counter; 20 characters of lower-case base32hex. */
import { randomBytes } from 'node:crypto';

const alphabet = '0123456789abcdefghijklmnopqrstuv';

interface Start {
  readonly machine: Buffer;
  counter: number;
  /** Counts down, so that of two ids of one second the newer one comes first too. */
  descending: number;
}

let started: Start | undefined;

/** Chosen at random with the first id: programs that make none need not load what is random. */
function start(): Start {
  started ??= {
    machine: randomBytes(3),
    counter: randomBytes(3).readUIntBE(0, 3),
    descending: randomBytes(3).readUIntBE(0, 3) | 0x800000,
  };
  return started;
}

/** Seconds from which newest-first ids count down: ids of hook runs and pull requests. */
export const runEpoch = 32_500_915_200;
/** The same for garbage-collection runs and data partitions; fixed by the layout of existing installations. */
export const partitionEpoch = 64_060_588_800;

/** An id whose time is `seconds` modulo 2^32. */
export function xid(seconds: number = Math.floor(Date.now() / 1000)): string {
  const state = start();
  state.counter = (state.counter + 1) % 2 ** 24;
  return idOf(seconds, state.counter);
}

/** An id that sorts before all earlier ones of this process and epoch. */
export function descendingXid(epoch: number): string {
  const state = start();
  state.descending = (state.descending + 2 ** 24 - 1) % 2 ** 24;
  return idOf(epoch - Math.floor(Date.now() / 1000), state.descending);
}

function idOf(seconds: number, count: number): string {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(((seconds % 2 ** 32) + 2 ** 32) % 2 ** 32, 0);
  start().machine.copy(bytes, 4);
  bytes.writeUInt16BE(process.pid & 0xffff, 7);
  bytes.writeUIntBE(count, 9, 3);
  return encode(bytes);
}

/** Unix seconds of an id; `undefined` for an invalid id: strict about length, alphabet and the last character. */
export function xidSeconds(id: string): number | undefined {
  if (!/^[0-9a-v]{20}$/.test(id)) return undefined;
  let bits = 0n;
  for (const char of id) bits = (bits << 5n) | BigInt(alphabet.indexOf(char));
  const bytes = Buffer.from((bits >> 4n).toString(16).padStart(24, '0'), 'hex');
  return encode(bytes) === id ? bytes.readUInt32BE(0) : undefined;
}

/** 96 bits in groups of five, the last one padded with zeros. */
function encode(bytes: Buffer): string {
  let id = '';
  let bits = 0;
  let count = 0;
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff;
    for (count += 8; count >= 5; ) {
      count -= 5;
      id += alphabet[(bits >> count) & 31];
    }
  }
  return id + alphabet[(bits << (5 - count)) & 31];
}
