/** Rows of metadata in a form. */

/** A row that the operator of the server asks for. */
interface AskedField {
  readonly label: string;
  readonly kind: 'text' | 'date';
  readonly required: boolean;
  /** Values to choose from; empty: any. */
  readonly values: readonly string[];
}

export interface MetadataRow {
  readonly key: string;
  readonly value: string;
  /** Absent: a row that the user added. */
  readonly field?: AskedField;
}

/** What is wrong with each row; `undefined` where nothing is. Of two equal keys the second is wrong. */
export function problemsOf(rows: readonly MetadataRow[]): readonly (string | undefined)[] {
  const seen = new Set<string>();
  return rows.map(({ key, value, field }) => {
    const trimmed = key.trim();
    if (trimmed === '') return 'Key is required';
    if (seen.has(trimmed)) return `Key ${trimmed} exists already`;
    seen.add(trimmed);
    return field?.required && value.trim() === '' ? `${field.label} is required` : undefined;
  });
}

/** Asked rows without a value are left out. */
export function metadataOf(rows: readonly MetadataRow[]): Record<string, string> {
  return Object.fromEntries(rows.filter(({ value, field }) => !field || value.trim() !== '').map(({ key, value }) => [key, value]));
}
