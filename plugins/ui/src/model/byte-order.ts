/** The order of paths on the server: by their UTF-8 bytes. */

/** `<` compares UTF-16 units, which differs above U+FFFF. */
export function compareBytes(a: string, b: string): number {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  if (i === a.length || i === b.length) return a.length - b.length;
  const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
  // Halves of surrogate pairs stand for code points above all others.
  const [high, otherHigh] = [isSurrogate(x), isSurrogate(y)];
  return high === otherHigh ? x - y : high ? 1 : -1;
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
