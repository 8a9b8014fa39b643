/** Rows of metadata in a form. */

export interface MetadataRow {
  readonly key: string;
  readonly value: string;
}

/** What is wrong with each row; `undefined` where nothing is. Of two equal keys the second is wrong. */
export function problemsOf(rows: readonly MetadataRow[]): readonly (string | undefined)[] {
  const seen = new Set<string>();
  return rows.map(({ key }) => {
    const trimmed = key.trim();
    if (trimmed === '') return 'Key is required';
    if (seen.has(trimmed)) return `Key ${trimmed} exists already`;
    seen.add(trimmed);
    return undefined;
  });
}

export function metadataOf(rows: readonly MetadataRow[]): Record<string, string> {
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
}
