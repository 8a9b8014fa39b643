/** Rows that are ticked. */
import { useState } from 'preact/hooks';
import { tickedIn } from '../../src/model/ticked-rows.js';
import type { TickedRows } from '../../src/model/ticked-rows.js';

export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly count: number;
  toggle(id: string, on: boolean): void;
  set(ids: readonly string[]): void;
  clear(): void;
}

export const noSelection: Selection = { ids: new Set(), count: 0, toggle: () => undefined, set: () => undefined, clear: () => undefined };

/** @param key a selection belongs to one list. */
export function useSelection(key: readonly string[]): Selection {
  const name = JSON.stringify(key);
  const [state, setState] = useState<TickedRows>({ name, ids: new Set() });
  const ids = tickedIn(name, state);
  const put = (next: Iterable<string>): void => setState({ name, ids: new Set(next) });
  return {
    ids,
    count: ids.size,
    toggle: (id, on) => put(on ? [...ids, id] : [...ids].filter(other => other !== id)),
    set: put,
    clear: () => put([]),
  };
}
