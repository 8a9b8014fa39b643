/** Deletes many objects, as many at a time as the server takes. */
import { Refusal, call } from '@srv/lib-page/page';

/** Paths of one request. */
const batch = 1000;

interface Deletion {
  readonly repository: string;
  readonly branch: string;
  readonly paths: readonly string[];
  /** Everything below these, too. */
  readonly prefixes: readonly string[];
  readonly signal: AbortSignal;
  readonly onProgress: (deleted: number) => void;
}

/** @returns how many were deleted. @throws Refusal with the first error of an object. */
export async function deleteBelow({ repository, branch, paths, prefixes, signal, onProgress }: Deletion): Promise<number> {
  let deleted = 0;
  const drop = async (some: readonly string[]): Promise<void> => {
    if (some.length === 0) return;
    const { errors } = await call('deleteObjects', { repository, branch, body: { paths: [...some] } }, { signal });
    const [first] = errors ?? [];
    if (first) throw new Refusal(first.status_code, `${first.path ?? ''}: ${first.message}`, 'deleteObjects');
    deleted += some.length;
    onProgress(deleted);
  };
  for (let at = 0; at < paths.length; at += batch) await drop(paths.slice(at, at + batch));
  for (const prefix of prefixes) {
    // What was listed is gone from the next listing; the place is kept all the same, in case a deletion shows late.
    for (let after = ''; ; ) {
      const { results, pagination } = await call(
        'listObjects',
        { repository, ref: branch, prefix, after, amount: batch, user_metadata: false },
        { signal },
      );
      await drop(results.map(({ path }) => path));
      if (!pagination.has_more) break;
      after = pagination.next_offset;
    }
  }
  return deleted;
}
