/** The order in which object stores list: by the bytes of UTF-8, which is not the order of JavaScript strings. */

/** Surrogates stand for characters above all others of two bytes, and come last. */
function weight(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Negative when `a` comes first, positive when `b` does, 0 when they are equal. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (left !== right) return weight(left) - weight(right);
  }
  return a.length - b.length;
}
