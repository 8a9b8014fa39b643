/** Header values are UTF-8 on the wire; the runtime shows and takes them as one character per byte. */

/** Text of a received value. What is not UTF-8 stays as it was shown. */
export function decodeHeader(shown: string): string {
  if (!/[\u0080-\u00ff]/.test(shown) || /[\u0100-\uffff]/.test(shown)) return shown;
  try {
    return utf8.decode(Buffer.from(shown, 'latin1'));
  } catch {
    return shown;
  }
}

/** Values as the runtime wants them to send them as UTF-8. */
export function encodeHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, Buffer.from(text, 'utf8').toString('latin1')]));
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
