/** The index of a commit: ranges, the attribution of each, and what differs from them (format.md, "Commits"). Every byte is hostile. */
import { isTableId } from '@srv/engine/tables/format';
import { SrvError, messageOf } from '@srv/kernel';

/** One commit wrote all entries, or a file says which did. */
export type Authors = { readonly commit: string } | { readonly file: string };

export interface IndexedRange {
  readonly id: string;
  readonly count: number;
  readonly minKey: Buffer;
  readonly maxKey: Buffer;
  readonly by: Authors;
}

/** Entries that are other ones than those of the ranges, or in none of them, or removed. */
export interface IndexedChanges {
  /** Of the file. */
  readonly id: string;
  readonly count: number;
  readonly by: Authors;
}

/** What was indexed of a commit; its ranges are in order of keys. */
export interface Snapshot {
  readonly commit: string;
  readonly metarange: string;
  /** Those of the commit, or of an earlier one, from which `changes` lead to the commit. */
  readonly ranges: readonly IndexedRange[];
  readonly changes?: IndexedChanges | undefined;
}

export function encodeSnapshot({ commit, metarange, ranges, changes }: Snapshot): Buffer {
  const text = (key: Buffer): string => key.toString('base64');
  const shown = ranges.map(({ id, count, minKey, maxKey, by }) => ({ id, count, min: text(minKey), max: text(maxKey), by }));
  return Buffer.from(JSON.stringify({ commit, metarange, ranges: shown, changes }));
}

/** @param commit whose snapshot it must be. @throws SrvError `corrupt`. */
export function decodeSnapshot(bytes: Buffer, commit: string): Snapshot {
  const problem = (text: string): SrvError =>
    new SrvError('corrupt', `index file commits/${commit}: ${text}; \`cli search rebuild\` makes it again`);
  let found: { readonly commit?: unknown; readonly metarange?: unknown; readonly ranges?: unknown; readonly changes?: unknown };
  try {
    found = Object(JSON.parse(bytes.toString('utf8'))) as typeof found;
  } catch (error) {
    throw problem(messageOf(error));
  }
  if (found.commit !== commit) throw problem('it is about another commit');
  if (typeof found.metarange !== 'string' || !Array.isArray(found.ranges)) throw problem('metarange or ranges are missing');
  const ranges = found.ranges.map((raw: unknown): IndexedRange => {
    const range = decodeRange(raw);
    if (!range) throw problem(`${JSON.stringify(raw)} is not a range`);
    return range;
  });
  if (ranges.some((range, i) => i > 0 && Buffer.compare(ranges[i - 1]?.maxKey ?? range.minKey, range.minKey) >= 0))
    throw problem('its ranges are not in order');
  if (found.changes === undefined) return { commit, metarange: found.metarange, ranges };
  const changes = decodeTable(found.changes);
  if (!changes) throw problem(`${JSON.stringify(found.changes)} are not changes`);
  return { commit, metarange: found.metarange, ranges, changes };
}

function decodeRange(raw: unknown): IndexedRange | undefined {
  const table = decodeTable(raw);
  const { min, max } = Object(raw) as Record<string, unknown>;
  if (!table || typeof min !== 'string' || typeof max !== 'string') return undefined;
  return { ...table, minKey: Buffer.from(min, 'base64'), maxKey: Buffer.from(max, 'base64') };
}

function decodeTable(raw: unknown): IndexedChanges | undefined {
  const { id, count, by } = Object(raw) as Record<string, unknown>;
  if (typeof id !== 'string' || !isTableId(id)) return undefined;
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) return undefined;
  const { commit, file } = Object(by) as Record<string, unknown>;
  const author = commit ?? file;
  if (typeof author !== 'string' || !isTableId(author)) return undefined;
  return { id, count, by: commit === undefined ? { file: author } : { commit: author } };
}
