/** Finds by a few letters: they occur in order; together and early counts more. */

/** Higher is better; `undefined`: it does not match. */
function score(name: string, wanted: string): number | undefined {
  const [text, needle] = [name.toLowerCase(), wanted.toLowerCase()];
  if (needle === '') return 0;
  const at = text.indexOf(needle);
  if (at >= 0) return 1000 - Math.min(at, 400) - Math.min(text.length, 400) / 10 + (at === 0 || /[\W_]/.test(text[at - 1] ?? '') ? 200 : 0);
  let from = 0;
  let gaps = 0;
  for (const char of needle) {
    const next = text.indexOf(char, from);
    if (next < 0) return undefined;
    gaps += next - from;
    from = next + 1;
  }
  return 300 - Math.min(gaps, 290);
}

/** Best first; equal ones keep their order. */
export function rank<T>(items: readonly T[], wanted: string, nameOf: (item: T) => string): readonly T[] {
  return items
    .flatMap(item => {
      const value = score(nameOf(item), wanted);
      return value === undefined ? [] : [{ item, value }];
    })
    .sort((a, b) => b.value - a.value)
    .map(({ item }) => item);
}
