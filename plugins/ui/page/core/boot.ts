/** What the server wrote into the document. */

/** `[method, path, names of the query, names of headers, kind of body, kind of result]` */
export type OperationRow = readonly [string, string, readonly string[], readonly string[], 'none' | 'json' | 'stream', string];

export interface Boot {
  readonly version: string;
  readonly operations: Readonly<Record<string, OperationRow>>;
  readonly parts: readonly { readonly plugin: string; readonly file: string }[];
}

export const boot = JSON.parse(document.getElementById('boot')?.textContent ?? '{"version":"","operations":{},"parts":[]}') as Boot;

/** Whether the server has an operation: what needs another is not shown. */
export function offers(operationId: string): boolean {
  return Object.hasOwn(boot.operations, operationId);
}

/** Path of the page's root, with a trailing slash: `/`, or the prefix a proxy puts it under. */
export const root = new URL(document.baseURI).pathname;
