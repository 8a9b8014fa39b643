/** Pictures among the values of a table: bytes that begin as those of a picture do, alone or as the `bytes` of a struct. */

/** Digits that the bytes of a type begin with. */
const beginnings: readonly (readonly [string, string])[] = [
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['474946383761', 'image/gif'],
  ['474946383961', 'image/gif'],
];

/** What stands before the digits: the value itself, or the first member of a struct, as data sets of pictures have it. */
const openings = ['0x', '{"bytes":"0x'];

/** Digits of the largest picture that is shown. */
const mostDigits = 64 * 1024 * 1024;

/** Type of the picture that a value begins with; `undefined` for anything else. */
export function imageTypeOf(text: string): string | undefined {
  return beginningOf(text)?.type;
}

/** The picture that a value is. */
export function imageIn(text: string): { readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> } | undefined {
  const found = beginningOf(text);
  if (!found) return undefined;
  const { type, from } = found;
  const quote = text.indexOf('"', from);
  const end = quote < 0 ? text.length : quote;
  if (end - from > mostDigits) return undefined;
  const bytes = new Uint8Array((end - from) >> 1);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(text.slice(from + i * 2, from + i * 2 + 2), 16);
  return { type, bytes };
}

function beginningOf(text: string): { readonly type: string; readonly from: number } | undefined {
  const opening = openings.find(each => text.startsWith(each));
  const type = opening === undefined ? undefined : beginnings.find(([digits]) => text.startsWith(digits, opening.length))?.[1];
  return opening === undefined || type === undefined ? undefined : { type, from: opening.length };
}
