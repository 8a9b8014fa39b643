/** Differences of two tables as they travel: JSON lines. */
import { send } from '@srv/lib-page/page';
import type { ComparisonProps } from '@srv/lib-page/page';

type Cell = string | null;

interface Schema {
  readonly type: 'schema';
  readonly key: readonly string[];
  readonly columns: readonly { readonly name: string; readonly change: 'same' | 'added' | 'removed' }[];
}

export type Row =
  | { readonly type: 'added'; readonly right_row: number; readonly row: Readonly<Record<string, Cell>> }
  | { readonly type: 'removed'; readonly left_row: number; readonly row: Readonly<Record<string, Cell>> }
  | {
      readonly type: 'changed';
      readonly right_row: number;
      readonly key: Readonly<Record<string, Cell>>;
      /** Old and new values of the cells that differ. */
      readonly cells: Readonly<Record<string, readonly [Cell, Cell]>>;
    };

interface Summary {
  readonly type: 'summary';
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly same: number;
  /** Not all rows that differ are shown. */
  readonly truncated: boolean;
  readonly changed_cells: Readonly<Record<string, number>>;
}

type Line = Schema | Row | Summary;

export interface RowDiff {
  readonly schema: Schema;
  readonly rows: readonly Row[];
  readonly summary: Summary;
}

/** Rows that are asked for, and bytes of them that are shown. */
const [mostRows, mostBytes] = [500, 8 * 1024 * 1024];

/** @param key absent: the server finds one. Rows that are too long to be shown are counted only. */
export async function getRowDiff(
  { repository, left, right, path }: ComparisonProps,
  key: readonly string[] | undefined,
  signal: AbortSignal,
  limit = mostRows,
): Promise<RowDiff> {
  const input = { repository, leftRef: left, rightRef: right, path, limit, key };
  const response = await send('diffRows', input, { signal });
  if (limit > 0 && Number(response.headers.get('content-length')) > mostBytes) {
    await response.body?.cancel();
    return getRowDiff({ repository, left, right, path }, key, signal, 0);
  }
  const lines = (await response.text())
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as Line);
  const schema = lines.find((line): line is Schema => line.type === 'schema');
  const summary = lines.find((line): line is Summary => line.type === 'summary');
  if (!schema || !summary) throw new Error('The result of the comparison has no end: compare again');
  return { schema, summary, rows: lines.filter((line): line is Row => line.type !== 'schema' && line.type !== 'summary') };
}
