/** Base32 with the extended hex alphabet (RFC 4648 section 7), upper case, padded with `=`. */
import { SrvError } from '@srv/kernel';

const alphabet = Buffer.from('0123456789ABCDEFGHIJKLMNOPQRSTUV');
const padding = '='.charCodeAt(0);
/** By character code; 255: not of the alphabet. */
const values = new Uint8Array(256).fill(255);
for (const [value, code] of alphabet.entries()) values[code] = value;

/** Five bytes become eight characters. */
export function encode(bytes: Buffer): string {
  const text = Buffer.alloc(Math.ceil(bytes.length / 5) * 8, padding);
  let [bits, held, end] = [0, 0, 0];
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text[end++] = alphabet[(held >> bits) & 31] ?? 0;
    }
  }
  if (bits > 0) text[end] = alphabet[(held << (5 - bits)) & 31] ?? 0;
  return text.toString('latin1');
}

/** @throws SrvError `corrupt` for other characters. */
export function decode(text: string): Buffer {
  const length = withoutPadding(text).length;
  const characters = Buffer.from(text, 'latin1');
  const bytes = Buffer.allocUnsafe(Math.floor((length * 5) / 8));
  let [bits, held, end] = [0, 0, 0];
  for (let i = 0; i < length; i++) {
    const value = values[characters[i] ?? 0] ?? 255;
    if (value === 255) throw new SrvError('corrupt', 'a document of the container holds text that is not base32hex');
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[end++] = (held >> bits) & 0xff;
    }
  }
  return bytes;
}

/** The five bits that one character encodes. */
export function digitValue(text: string, at: number): number {
  return values[text.charCodeAt(at)] ?? 255;
}

export function withoutPadding(text: string): string {
  const end = text.indexOf('=');
  return end < 0 ? text : text.slice(0, end);
}
