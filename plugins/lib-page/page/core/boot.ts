/** What the server wrote into the document. */

import type { BuiltDescription } from '../../src/description.js';
import type { OperationRow } from './operation-row.js';

interface Boot {
  readonly version: string;
  readonly operations: Readonly<Record<string, OperationRow>>;
  /** Each with the name of its module, or with its description. */
  readonly parts: readonly { readonly plugin: string; readonly file?: string; readonly description?: BuiltDescription }[];
  /** Commands of the shell. */
  readonly shell: {
    readonly parts: readonly { readonly plugin: string; readonly file?: string }[];
    /** First words of commands that run in `cli` only, with their plugins. */
    readonly elsewhere: Readonly<Record<string, string>>;
  };
}

export const boot = JSON.parse(
  document.getElementById('boot')?.textContent ?? '{"version":"","operations":{},"parts":[],"shell":{"parts":[],"elsewhere":{}}}',
) as Boot;

/** Whether the server has an operation: what needs another is not shown. */
export function offers(operationId: string): boolean {
  return Object.hasOwn(boot.operations, operationId);
}

/** Path of the page's root, with a trailing slash: `/`, or the prefix a proxy puts it under. */
export const root = new URL(document.baseURI).pathname;
