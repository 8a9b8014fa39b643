/** Pictures and sound among the values of a table: bytes that begin as those of a file do, alone or as the `bytes` of a struct. */

export interface MediaType {
  readonly kind: 'picture' | 'sound';
  readonly type: string;
}

/** Digits that the bytes of a type begin with; `.` is any digit. */
const beginnings: readonly (readonly [digits: string, kind: MediaType['kind'], type: string])[] = [
  ['89504e470d0a1a0a', 'picture', 'image/png'],
  ['ffd8ff', 'picture', 'image/jpeg'],
  ['474946383761', 'picture', 'image/gif'],
  ['474946383961', 'picture', 'image/gif'],
  ['52494646........57454250', 'picture', 'image/webp'],
  ['52494646........57415645', 'sound', 'audio/wav'],
  ['664c6143', 'sound', 'audio/flac'],
  ['4f676753', 'sound', 'audio/ogg'],
  ['494433', 'sound', 'audio/mpeg'],
  ['fffb', 'sound', 'audio/mpeg'],
];

/** What stands before the digits: the value itself, or the first member of a struct, as data sets of pictures and sound have it. */
const openings = ['0x', '{"bytes":"0x'];

/** Digits of the largest file that is shown. */
const mostDigits = 64 * 1024 * 1024;

/** What a value begins as; `undefined` for anything else. */
export function mediaTypeOf(text: string): MediaType | undefined {
  return beginningOf(text)?.media;
}

/** The picture or sound that a value is. */
export function mediaIn(text: string): (MediaType & { readonly bytes: Uint8Array<ArrayBuffer> }) | undefined {
  const found = beginningOf(text);
  if (!found) return undefined;
  const { media, from } = found;
  const quote = text.indexOf('"', from);
  const end = quote < 0 ? text.length : quote;
  if (end - from > mostDigits) return undefined;
  const bytes = new Uint8Array((end - from) >> 1);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(text.slice(from + i * 2, from + i * 2 + 2), 16);
  return { ...media, bytes };
}

function beginningOf(text: string): { readonly media: MediaType; readonly from: number } | undefined {
  const opening = openings.find(each => text.startsWith(each));
  if (opening === undefined) return undefined;
  const found = beginnings.find(([digits]) => beginsWith(text, digits, opening.length));
  return found && { media: { kind: found[1], type: found[2] }, from: opening.length };
}

function beginsWith(text: string, digits: string, from: number): boolean {
  for (let i = 0; i < digits.length; i++) if (digits[i] !== '.' && digits[i] !== text[from + i]) return false;
  return true;
}
