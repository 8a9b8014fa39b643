/** Widths of columns on a screen. */

/** Narrower than this a column is not made. */
const leastWidth = 12;

/** The widths, the widest of them reduced until all together are `most` or cannot be less. */
export function narrowed(widths: readonly number[], most: number): number[] {
  const fitting = [...widths];
  let excess = fitting.reduce((sum, width) => sum + width, 0) - most;
  while (excess > 0) {
    const widest = fitting.indexOf(Math.max(...fitting));
    const width = fitting[widest] ?? 0;
    if (width <= leastWidth) break;
    const second = Math.max(leastWidth, ...fitting.filter((other, index) => index !== widest && other < width));
    const cut = Math.min(excess, Math.max(1, width - second));
    fitting[widest] = width - cut;
    excess -= cut;
  }
  return fitting;
}

/** Lines of at most `width` characters, broken at spaces where there are any. */
export function wrapped(text: string, width: number): string[] {
  if (text.length <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    let rest = word;
    if (line !== '' && line.length + 1 + rest.length > width) {
      lines.push(line);
      line = '';
    }
    for (; rest.length > width; rest = rest.slice(width)) lines.push(rest.slice(0, width));
    line = line === '' ? rest : `${line} ${rest}`;
  }
  return [...lines, line];
}
