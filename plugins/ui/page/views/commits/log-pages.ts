/** The commits of a log, page by page. */
import { call, usePages } from '@srv/lib-page/page';
import type { LogFilter } from './log-filter.js';

/** @param filter `undefined`: all commits. */
export function useLogPages(repository: string, ref: string, filter: LogFilter | undefined) {
  const { object, prefix } = filter ?? {};
  return usePages(
    (after, signal) =>
      call(
        'logCommits',
        {
          repository,
          ref,
          after,
          amount: filter ? 100 : 200,
          ...(object === undefined ? {} : { objects: [object] }),
          ...(prefix === undefined ? {} : { prefixes: [prefix] }),
        },
        { signal },
      ),
    [repository, ref, object, prefix],
  );
}
