/** Commit messages and metadata given by options. */

import { UsageError } from './failures.js';
import { keyValues, listOf, textOf } from './options.js';
import type { OptionValue } from './arguments.js';

export interface MessageOptions {
  readonly message?: OptionValue;
  readonly meta?: OptionValue;
  readonly 'allow-empty-message'?: OptionValue;
}

/** @throws UsageError for an empty message that was not allowed, and for metadata without `=`. */
export function messageOptions(options: MessageOptions): { readonly message: string; readonly metadata: Record<string, string> } {
  const message = (textOf(options.message) ?? '').trim();
  if (message === '' && options['allow-empty-message'] !== true)
    throw new UsageError('commit with no message without specifying the "--allow-empty-message" flag');
  return { message, metadata: keyValues(listOf(options.meta), 'meta') };
}

/** Options of commands that create a commit. */
export const messageOption = { name: 'message', short: 'm', type: 'string', description: 'commit message' } as const;
export const metaOption = { name: 'meta', type: 'list', description: "key=value pairs for the commit's metadata" } as const;
export function allowEmptyMessageOption(byDefault: boolean) {
  return { name: 'allow-empty-message', type: 'bool', default: byDefault, description: 'allow an empty commit message' } as const;
}
