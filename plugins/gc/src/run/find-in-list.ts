/** Looks a key up in a sorted list in the block store, by reading a few small parts of it. */
import { buffer } from 'node:stream/consumers';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';

/** Longer than any line, so that every part holds the beginning of one. */
const partBytes = 8192;

/** Whether the list, lines of `<key>\t…` in byte order of the keys, has the key. */
export async function isListed(block: BlockStore, list: ObjectPointer, key: string): Promise<boolean> {
  const { size } = await block.properties(list);
  const wanted = Buffer.from(key);
  // The line of the key begins in [low, high).
  let [low, high] = [0, size];
  while (low < high) {
    const middle = Math.max(low, Math.floor((low + high) / 2) - 1);
    const line = await lineAfter(block, list, middle, low, size);
    if (line === undefined || line.start >= high) {
      high = middle;
      continue;
    }
    const order = Buffer.compare(line.key, wanted);
    if (order === 0) return true;
    if (order < 0) low = line.end;
    else high = line.start;
  }
  return false;
}

interface Line {
  readonly key: Buffer;
  readonly start: number;
  readonly end: number;
}

/** First line that begins at `at` or later; a line is known to begin at `known`. */
async function lineAfter(block: BlockStore, list: ObjectPointer, at: number, known: number, size: number): Promise<Line | undefined> {
  const from = at > known ? at - 1 : at;
  const part = await buffer(await block.get(list, { range: { start: from, end: Math.min(from + partBytes, size) - 1 } }));
  const begin = at > known ? part.indexOf(0x0a) + 1 : 0;
  if (at > known && begin === 0) return undefined;
  const end = part.indexOf(0x0a, begin);
  const tab = part.indexOf(0x09, begin);
  if (end < 0 || tab < 0 || tab > end) return undefined;
  return { key: part.subarray(begin, tab), start: from + begin, end: from + end + 1 };
}
