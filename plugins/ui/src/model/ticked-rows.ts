/** Rows that are ticked, and in which list. */

export interface TickedRows {
  /** Of the list. */
  readonly name: string;
  readonly ids: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/** Those of this list: what is ticked in another one must not be deleted here. */
export function tickedIn(name: string, ticked: TickedRows): ReadonlySet<string> {
  return ticked.name === name ? ticked.ids : none;
}
