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
