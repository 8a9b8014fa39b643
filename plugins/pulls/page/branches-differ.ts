/** Whether a merge would change anything. */
import { call, useAsync } from '@srv/lib-page/page';
// Completes the types of operations.
import type {} from '@srv/engine/operations';
import type { AsyncData } from '@srv/lib-page/page';

/** @param isAsked otherwise nothing is asked, and they do not differ. */
export function useBranchesDiffer(repository: string, base: string, source: string, isAsked: boolean): AsyncData<boolean> {
  return useAsync(
    async signal =>
      isAsked && (await call('diffRefs', { repository, leftRef: base, rightRef: source, amount: 1 }, { signal })).results.length > 0,
    [repository, base, source, isAsked],
  );
}
