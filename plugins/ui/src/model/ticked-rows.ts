/** Rows that are ticked, and in which list. */

export interface TickedRows<T> {
  /** Of the list. */
  readonly name: string;
  /** By their keys in the list. */
  readonly items: ReadonlyMap<string, T>;
}

const none: ReadonlyMap<string, never> = new Map<string, never>();

/** Those of this list: what is ticked in another one must not be deleted here. */
export function tickedIn<T>(name: string, ticked: TickedRows<T>): ReadonlyMap<string, T> {
  return ticked.name === name ? ticked.items : none;
}
