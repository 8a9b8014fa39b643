/** Kinds of files that queries read and write. */

/** Lower case, without the dot; empty if the path has no extension. */
export function extensionOf(path: string): string {
  return /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}

/** By extension. */
export const contentTypes: Readonly<Record<string, string>> = {
  parquet: 'application/vnd.apache.parquet',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
};

export function contentTypeOf(path: string): string {
  return contentTypes[extensionOf(path)] ?? 'application/octet-stream';
}

const tableFormats: Readonly<Record<string, 'parquet' | 'csv' | 'json'>> = {
  parquet: 'parquet',
  csv: 'csv',
  tsv: 'csv',
  txt: 'csv',
  json: 'json',
  jsonl: 'json',
  ndjson: 'json',
};

/** By the name of an object; that of a compressed one ends with `.gz` or `.zst`. */
export function tableFormatOf(path: string): 'parquet' | 'csv' | 'json' | undefined {
  const extension = extensionOf(path.replace(/\.(?:gz|zst)$/i, ''));
  return Object.hasOwn(tableFormats, extension) ? tableFormats[extension] : undefined;
}
