/** Which encoding the bytes of a text have. */

export interface DecodedText {
  readonly text: string;
  /** As browsers name it. */
  readonly encoding: string;
}

/**
 * By its byte order mark, else UTF-8; bytes that are not UTF-8 are taken for Windows-1252, which has a character for each.
 * @param cut whether the text may end within a character.
 */
export function decodeText(bytes: Uint8Array, cut = false): DecodedText {
  const marked = markedEncoding(bytes);
  if (marked !== undefined) return { text: new TextDecoder(marked).decode(bytes, { stream: cut }), encoding: marked };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut }), encoding: 'utf-8' };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'windows-1252' };
  }
}

/** UTF-16 with a byte order mark; `undefined` for anything else. */
function markedEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}
