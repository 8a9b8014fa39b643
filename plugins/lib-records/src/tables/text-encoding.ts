/** Which encoding the bytes of a text have. */

export interface DecodedText {
  readonly text: string;
  /** As browsers name it. */
  readonly encoding: string;
  /** Bytes that are not part of the encoding, shown as `�`. */
  readonly wrong: number;
}

/**
 * By its byte order mark, else UTF-8. Bytes that are not UTF-8 are taken for damage where most of the text beyond ASCII is UTF-8, and
 * else for Windows-1252, which has a character for each.
 * @param cut whether the text may end within a character.
 */
export function decodeText(bytes: Uint8Array, cut = false): DecodedText {
  const marked = markedEncoding(bytes);
  if (marked !== undefined) return { text: new TextDecoder(marked).decode(bytes, { stream: cut }), encoding: marked, wrong: 0 };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut }), encoding: 'utf-8', wrong: 0 };
  } catch {
    return decodeDamaged(bytes, cut);
  }
}

/** UTF-16 with a byte order mark; `undefined` for anything else. */
export function markedEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

/** Bytes of the byte order mark of UTF-8, which is not part of the text. */
export const utf8MarkLength = 3;

export function hasUtf8Mark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function decodeDamaged(bytes: Uint8Array, cut: boolean): DecodedText {
  const text = new TextDecoder().decode(bytes, { stream: cut });
  let [wrong, right] = [0, 0];
  for (const char of text) {
    if (char === '\ufffd') wrong++;
    else if (char > '\u007f') right++;
  }
  if (right > wrong || hasUtf8Mark(bytes)) return { text, encoding: 'utf-8', wrong };
  return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'windows-1252', wrong: 0 };
}

/** For people; `undefined` for UTF-8 without faults. */
export function encodingNote({ encoding, wrong }: DecodedText): string | undefined {
  if (encoding === 'windows-1252') return 'The text is not UTF-8; it is shown as Windows-1252.';
  if (wrong > 0) return `${wrong} ${wrong === 1 ? 'byte is' : 'bytes are'} not UTF-8 and shown as \ufffd.`;
  return encoding === 'utf-8' ? undefined : `The text is ${encoding.toUpperCase()}.`;
}
