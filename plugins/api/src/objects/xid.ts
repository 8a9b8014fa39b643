/** Ids that sort by time: 12 bytes (seconds, machine, process, counter), written as 20 characters of base32hex. */
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { hostname } from 'node:os';

const alphabet = '0123456789abcdefghijklmnopqrstuv';
const machine = createHash('sha256').update(hostname()).digest().subarray(0, 3);
const processId = Buffer.from([(process.pid >> 8) & 0xff, process.pid & 0xff]);
let counter = randomInt(0, 1 << 24);

/** @param seconds 32 bits; Unix seconds, or whatever is to be sorted by. */
export function createXid(seconds: number): string {
  const id = Buffer.alloc(12);
  id.writeUInt32BE(seconds >>> 0, 0);
  machine.copy(id, 4);
  processId.copy(id, 7);
  counter = (counter + 1) & 0xffffff;
  id.writeUIntBE(counter, 9, 3);
  return encode(id);
}

/** A partition nobody else uses. */
export function createRandomXid(seconds: number): string {
  const id = randomBytes(12);
  id.writeUInt32BE(seconds >>> 0, 0);
  return encode(id);
}

/** Seconds inside an id; `undefined` for text that is none. */
export function xidSeconds(text: string): number | undefined {
  if (!/^[0-9a-v]{19}[0g]$/.test(text)) return undefined;
  let bits = 0n;
  for (const character of text) bits = (bits << 5n) | BigInt(alphabet.indexOf(character));
  return Number(bits >> 68n);
}

function encode(id: Buffer): string {
  // 96 bits and 4 zero bits make 20 groups of 5.
  let bits = BigInt(`0x${id.toString('hex')}`) << 4n;
  let text = '';
  for (let i = 0; i < 20; i++) {
    text = (alphabet[Number(bits & 31n)] ?? '') + text;
    bits >>= 5n;
  }
  return text;
}
