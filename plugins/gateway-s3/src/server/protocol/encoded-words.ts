/** Encoded words (RFC 2047): text that is not ASCII in header values. */

const encodings: Readonly<Record<string, BufferEncoding>> = { 'utf-8': 'utf8', 'us-ascii': 'latin1', 'iso-8859-1': 'latin1' };
const word = /=\?([^?\s]+)\?([bBqQ])\?([^?\s]*)\?=/g;
/** Characters of one word, and of its frame `=?utf-8?q?` `?=`. */
const maxWord = 75;
const frame = 12;

/** `undefined` when a word is of an unknown character set. */
export function decodeWords(value: string): string | undefined {
  if (!value.includes('=?')) return value;
  let known = true;
  // White space between two words belongs to the encoding, not to the text.
  const decoded = value
    .replace(/(\?=)[ \t\r\n]+(?==\?[^?\s]+\?[bBqQ]\?)/g, '$1')
    .replace(word, (_, charset: string, kind: string, text: string) => {
      const encoding = encodings[charset.toLowerCase()];
      if (encoding === undefined) {
        known = false;
        return '';
      }
      return (kind.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : quotedBytes(text)).toString(encoding);
    });
  return known ? decoded : undefined;
}

function quotedBytes(text: string): Buffer {
  const plain = text
    .replaceAll('_', ' ')
    .replace(/=([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(plain, 'latin1');
}

/** Printable ASCII stays as it is; anything else becomes UTF-8 words of at most 75 characters. */
export function encodeWords(value: string): string {
  if (/^[\x20-\x7e\t]*$/.test(value) && !value.includes('=?')) return value;
  const words: string[] = [];
  let current = '';
  for (const char of value) {
    const encoded = [...Buffer.from(char, 'utf8')].map(quoted).join('');
    if (current.length + encoded.length + frame > maxWord) {
      words.push(current);
      current = '';
    }
    current += encoded;
  }
  return [...words, current].map(text => `=?utf-8?q?${text}?=`).join(' ');
}

function quoted(byte: number): string {
  const char = String.fromCharCode(byte);
  if (char === ' ') return '_';
  return /[!-~]/.test(char) && !'=?_'.includes(char) ? char : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}
