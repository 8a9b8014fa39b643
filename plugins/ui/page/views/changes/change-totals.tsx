/** How many objects differ, in all folders: a folder counts as what is below it. */
import { Button, counted, grouped, sizeText, useAsync } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import type { Pages } from '@srv/lib-page/page';
import type { Change } from './change.js';
import type { ChangePage } from './change-tree.js';

export interface Totals {
  readonly objects: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly conflict: number;
  /** Of what was added. */
  readonly bytes: number;
  /** There are more. */
  readonly isCut: boolean;
  readonly countAll: () => void;
}

interface Counted {
  readonly load: (prefix: string, after: string, signal: AbortSignal, delimiter: '/' | '') => Promise<ChangePage>;
  readonly prefix: string;
  readonly name: readonly unknown[];
}

/** Pages of a thousand that are read without being asked for. */
const fewPages = 10;

/** @param pages of the folder that is shown. @returns `undefined` until they are counted. */
export function useTotals({ load, prefix, name }: Counted, pages: Pick<Pages<Change>, 'items' | 'state'>): Totals | undefined {
  const [most, setMost] = useState(fewPages);
  const isNeeded = pages.state === 'more' || pages.items.some(({ path_type: kind }) => kind === 'common_prefix');
  const totals = useAsync(
    async signal => {
      if (!isNeeded) return undefined;
      const counts = { objects: 0, added: 0, changed: 0, removed: 0, conflict: 0, bytes: 0 };
      for (let page = 0, after = ''; page < most; page++) {
        const { results, pagination } = await load(prefix, after, signal, '');
        for (const { type, size_bytes: size = 0 } of results) {
          counts.objects++;
          if (type !== 'prefix_changed') counts[type]++;
          if (type === 'added') counts.bytes += size;
        }
        if (!pagination.has_more) return { ...counts, isCut: false };
        after = pagination.next_offset;
      }
      return { ...counts, isCut: true };
    },
    [...name, prefix, most, isNeeded],
  );
  return totals.state === 'ready' && totals.value ? { ...totals.value, countAll: () => setMost(Infinity) } : undefined;
}

export function ChangeTotals({ totals: { added, changed, removed, conflict, bytes, isCut, countAll } }: { readonly totals: Totals }) {
  return (
    <span class="group" role="status">
      {added > 0 && (
        <span class="badge added">
          {grouped(added)} added, {sizeText(bytes)}
        </span>
      )}
      {changed > 0 && <span class="badge changed">{grouped(changed)} changed</span>}
      {removed > 0 && <span class="badge removed">{grouped(removed)} removed</span>}
      {conflict > 0 && <span class="badge conflict">{counted(conflict, 'conflict')}</span>}
      {isCut && (
        <Button kind="plain" onClick={countAll}>
          Count all
        </Button>
      )}
    </span>
  );
}
