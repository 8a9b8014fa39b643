/** Differences of two texts by lines, after Myers: the shortest script, in linear space of its length. */

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
  /** From 1; absent on the side that lacks the line. */
  readonly left?: number;
  readonly right?: number;
}

/** Edits after which the search gives up: the rest is shown as replaced. */
const mostEdits = 3000;

export function diffLines(left: string, right: string): readonly DiffLine[] {
  const [a, b] = [linesOf(left), linesOf(right)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  const lines: DiffLine[] = [];
  const same = (i: number, j: number): void => void lines.push({ kind: 'same', text: a[i] ?? '', left: i + 1, right: j + 1 });
  for (let i = 0; i < start; i++) same(i, i);
  lines.push(...middle(a, b, { start, endA, endB }));
  for (let i = endA; i < a.length; i++) same(i, endB + i - endA);
  return lines;
}

interface Span {
  readonly start: number;
  readonly endA: number;
  readonly endB: number;
}

function middle(a: readonly string[], b: readonly string[], { start, endA, endB }: Span): DiffLine[] {
  const [n, m] = [endA - start, endB - start];
  const removed = (i: number): DiffLine => ({ kind: 'removed', text: a[start + i] ?? '', left: start + i + 1 });
  const added = (j: number): DiffLine => ({ kind: 'added', text: b[start + j] ?? '', right: start + j + 1 });
  const replaced = (): DiffLine[] => [...Array.from({ length: n }, (_, i) => removed(i)), ...Array.from({ length: m }, (_, j) => added(j))];
  if (n === 0 || m === 0) return replaced();
  const most = Math.min(n + m, mostEdits);
  const size = 2 * most + 2;
  const furthest = new Int32Array(size);
  const trace: Int32Array[] = [];
  for (let d = 0; d <= most; d++) {
    trace.push(furthest.slice());
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (furthest[k - 1 + most] ?? 0) < (furthest[k + 1 + most] ?? 0));
      let x = down ? (furthest[k + 1 + most] ?? 0) : (furthest[k - 1 + most] ?? 0) + 1;
      let y = x - k;
      while (x < n && y < m && a[start + x] === b[start + y]) {
        x++;
        y++;
      }
      furthest[k + most] = x;
      if (x >= n && y >= m)
        return walkBack(trace, {
          d,
          n,
          m,
          most,
          removed,
          added,
          same: (i, j) => ({ kind: 'same', text: a[start + i] ?? '', left: start + i + 1, right: start + j + 1 }),
        });
    }
  }
  return replaced();
}

interface Way {
  readonly d: number;
  readonly n: number;
  readonly m: number;
  readonly most: number;
  readonly removed: (i: number) => DiffLine;
  readonly added: (j: number) => DiffLine;
  readonly same: (i: number, j: number) => DiffLine;
}

function walkBack(trace: readonly Int32Array[], { d: edits, n, m, most, removed, added, same }: Way): DiffLine[] {
  const back: DiffLine[] = [];
  let [x, y] = [n, m];
  for (let d = edits; d >= 0; d--) {
    const furthest = trace[d];
    const at = (k: number): number => furthest?.[k + most] ?? 0;
    const k = x - y;
    const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const before = down ? k + 1 : k - 1;
    const beforeX = at(before);
    const beforeY = beforeX - before;
    while (x > beforeX && y > beforeY && x > 0 && y > 0) back.push(same(--x, --y));
    if (d === 0) break;
    if (down) back.push(added(--y));
    else back.push(removed(--x));
  }
  return back.reverse();
}

function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

type Hunk = { readonly lines: readonly DiffLine[] } | { readonly skipped: number };

/** Unchanged stretches are folded, except `context` lines around each change. */
export function foldSame(lines: readonly DiffLine[], context = 3): readonly Hunk[] {
  const near = new Uint8Array(lines.length);
  lines.forEach(({ kind }, i) => {
    if (kind !== 'same') near.fill(1, Math.max(0, i - context), i + context + 1);
  });
  const hunks: Hunk[] = [];
  for (let i = 0; i < lines.length; ) {
    let end = i;
    while (end < lines.length && near[end] === near[i]) end++;
    hunks.push(near[i] ? { lines: lines.slice(i, end) } : { skipped: end - i });
    i = end;
  }
  return hunks;
}

interface Pair {
  readonly left?: DiffLine;
  readonly right?: DiffLine;
}

/** Removed lines beside the added ones that follow them. */
export function sideBySide(lines: readonly DiffLine[]): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let i = 0; i < lines.length; ) {
    const line = lines[i];
    if (line?.kind === 'same') {
      pairs.push({ left: line, right: line });
      i++;
      continue;
    }
    const end = lines.findIndex((other, at) => at >= i && other.kind === 'same');
    const changed = lines.slice(i, end < 0 ? lines.length : end);
    const [removed, added] = (['removed', 'added'] as const).map(kind => changed.filter(other => other.kind === kind));
    for (let k = 0; k < Math.max(removed?.length ?? 0, added?.length ?? 0); k++) {
      const [left, right] = [removed?.[k], added?.[k]];
      pairs.push({ ...(left ? { left } : {}), ...(right ? { right } : {}) });
    }
    i += changed.length;
  }
  return pairs;
}
