/** Stored text in a header: names and tags that others wrote may hold any character. */

const plain = /^[\t\x20-\x7e]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
const control = /[\x00-\x08\x0a-\x1f\x7f]/g;

/** The text as UTF-8, whose bytes Node writes as latin-1; control characters, which no header may hold (RFC 9110, section 5.5), are left out. */
export function headerValue(text: string): string {
  return plain.test(text) ? text : Buffer.from(text.replace(control, ''), 'utf8').toString('latin1');
}

/** The value of `Content-Type` for a stored type: an empty one does not describe the bytes. */
export function contentTypeValue(stored: string): string {
  return headerValue(stored).trim() || 'application/octet-stream';
}
