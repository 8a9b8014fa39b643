/** Kinds of files that queries read and write. */

/** Lower case, without the dot; empty where there is none. */
export function extensionOf(path: string): string {
  return /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}

const types: ReadonlyMap<string, string> = new Map([
  ['parquet', 'application/vnd.apache.parquet'],
  ['csv', 'text/csv'],
  ['tsv', 'text/tab-separated-values'],
]);

export function contentTypeOf(path: string): string {
  return types.get(extensionOf(path)) ?? 'application/octet-stream';
}

/** Whether an object is a table for queries. */
export function isTable({ path, contentType }: { readonly path: string; readonly contentType: string }): boolean {
  if (types.has(extensionOf(path))) return true;
  return [...types.values()].includes((contentType.split(';', 1)[0] ?? '').trim().toLowerCase());
}
