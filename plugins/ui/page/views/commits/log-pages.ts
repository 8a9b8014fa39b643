/** The commits of a log, page by page. */
import { call, usePages } from '@srv/lib-page/page';
import { dayStart } from '../../../src/model/calendar-day.js';
import { hasText } from '../../../src/model/commit-text.js';
import type { LogFilter } from './log-filter.js';

/** Commits of a request: of all, of those that changed something, and where the page looks through them. */
const [all, changed, looked] = [200, 100, 1000];

/** @param filter `undefined`: all commits. */
export function useLogPages(repository: string, ref: string, filter: LogFilter | undefined) {
  const { object, prefix, text, since, until } = filter ?? {};
  const isLooked = text !== undefined || until !== undefined;
  const end = until === undefined ? Infinity : dayStart(until, 1);
  const load = (after: string, signal: AbortSignal) =>
    call(
      'logCommits',
      {
        repository,
        ref,
        after,
        amount: isLooked ? looked : filter ? changed : all,
        ...(object === undefined ? {} : { objects: [object] }),
        ...(prefix === undefined ? {} : { prefixes: [prefix] }),
        ...(since === undefined ? {} : { since: new Date(dayStart(since) * 1000).toISOString() }),
      },
      { signal },
    );
  return usePages(
    async (after, signal) => {
      for (let at = after; ; ) {
        const page = await load(at, signal);
        const results = page.results.filter(commit => commit.creation_date < end && hasText(commit, text ?? ''));
        // Pages without a match are passed over.
        if (results.length > 0 || !page.pagination.has_more) return { ...page, results };
        at = page.pagination.next_offset;
      }
    },
    [repository, ref, object, prefix, text, since, until],
  );
}
