/** The rules of a repository, read and saved. */
import { ask, notify, send, useAsync } from '@srv/lib-page/page';
// Completes the types of operations.
import type {} from '@srv/engine/operations';
import type { AsyncData } from '@srv/lib-page/page';

export interface Rules {
  readonly patterns: readonly string[];
  /** Names this state of the rules, empty for no rules: it makes the server reject a change if another one was made meanwhile. */
  readonly etag: string;
}

export function useRules(repository: string): AsyncData<Rules> {
  return useAsync(signal => read(repository, signal), [repository]);
}

async function read(repository: string, signal: AbortSignal): Promise<Rules> {
  const response = await send('getBranchProtectionRules', { repository }, { signal });
  const rules = (await response.json()) as readonly { readonly pattern: string }[];
  return { patterns: rules.map(({ pattern }) => pattern), etag: response.headers.get('etag') ?? '' };
}

/**
 * @param rules the patterns to have, and the state that they replace. An empty ETag is sent too: then there must be no rules yet.
 * @throws Refusal 412 when the rules were changed since they were read.
 */
export async function saveRules(repository: string, { patterns, etag }: Rules): Promise<void> {
  await ask('setBranchProtectionRules', {
    repository,
    body: patterns.map(pattern => ({ pattern })),
    'If-Match': etag,
  });
  notify('Saved the protection rules');
}
