/** Rows that are ticked. */
import { useState } from 'preact/hooks';
import { tickedIn } from '../../src/model/ticked-rows.js';
import type { TickedRows } from '../../src/model/ticked-rows.js';

export interface Selection<T> {
  readonly items: readonly T[];
  readonly count: number;
  has(item: T): boolean;
  toggle(item: T, on: boolean): void;
  set(items: readonly T[]): void;
  clear(): void;
}

export const noSelection: Selection<never> = {
  items: [],
  count: 0,
  has: () => false,
  toggle: () => undefined,
  set: () => undefined,
  clear: () => undefined,
};

/**
 * @param list names the list: a selection belongs to one.
 * @param keyOf different for each row of the list.
 */
export function useSelection<T>(list: readonly unknown[], keyOf: (item: T) => string): Selection<T> {
  const name = JSON.stringify(list);
  const [state, setState] = useState<TickedRows<T>>({ name, items: new Map() });
  const ticked = tickedIn(name, state);
  const items = [...ticked.values()];
  const put = (next: readonly T[]): void => setState({ name, items: new Map(next.map(item => [keyOf(item), item])) });
  return {
    items,
    count: items.length,
    has: item => ticked.has(keyOf(item)),
    toggle: (item, on) => put(on ? [...items, item] : items.filter(other => keyOf(other) !== keyOf(item))),
    set: put,
    clear: () => put([]),
  };
}
