/** Short keys for index entries (format.md section 5.3). */

/** A key k with a <= k < b, as short as the format's rule makes it. Requires a < b. */
export function separator(a: Buffer, b: Buffer): Buffer {
  const shorter = Math.min(a.length, b.length);
  let i = 0;
  while (i < shorter && a[i] === b[i]) i++;
  const [left, right] = [a[i] ?? 0, b[i] ?? 0];
  if (i >= shorter || left >= right) return a;
  if (i < b.length - 1 || left + 1 < right) return incremented(a, i);
  for (let j = i + 1; j < a.length; j++) {
    if (a[j] !== 0xff) return incremented(a, j);
  }
  return a;
}

/** A key k >= a, as short as the format's rule makes it. */
export function successor(a: Buffer): Buffer {
  const i = a.findIndex(byte => byte !== 0xff);
  return i < 0 ? a : incremented(a, i);
}

function incremented(key: Buffer, at: number): Buffer {
  const short = Buffer.from(key.subarray(0, at + 1));
  short[at] = (short[at] ?? 0) + 1;
  return short;
}
