/** Percent-encoding as signatures and listings need it. Decoding is strict: a key must never change on its way. */

const hex = [...Array(256).keys()].map(byte => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`);
/** Half of a character: has no encoding of its own. */
const half = /\p{Surrogate}/u;
const unreserved = /^[A-Za-z0-9\-._~]*$/;

/** Encodes UTF-8 bytes; `A-Z a-z 0-9 - . _ ~` and the characters of `keep` stay. */
export function percentEncode(text: string, keep = ''): string {
  if (unreserved.test(text)) return text;
  if (keep === '' && !half.test(text)) return encodeURIComponent(text).replace(/[!'()*]/g, char => hex[char.charCodeAt(0)] ?? '');
  let encoded = '';
  for (const byte of Buffer.from(text, 'utf8')) {
    const char = String.fromCharCode(byte);
    encoded += byte < 0x80 && (unreserved.test(char) || keep.includes(char)) ? char : hex[byte];
  }
  return encoded;
}

/** `undefined` when an escape is malformed or the bytes are not UTF-8: such a text names nothing. */
export function percentDecode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
