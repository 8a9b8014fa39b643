/** Work on a sequence with a bounded number of items at a time. */

/**
 * Starts `work` for each item as soon as fewer than `limit` are running; the sequence is read one item further.
 * @param failed aborted by the first failure; its signal is for the works, to end them early.
 * @throws the first failure, after all that was started has ended.
 */
export async function inParallel<T>(
  items: AsyncIterable<T> | Iterable<T>,
  limit: number,
  work: (item: T, index: number) => Promise<void>,
  failed = new AbortController(),
): Promise<void> {
  const running = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;
  const fail = (error: unknown): void => {
    failure ??= { error };
    failed.abort(error);
  };
  try {
    let index = 0;
    for await (const item of items) {
      // The item is read before there is a place for it, so that nothing waits for it then.
      while (running.size >= limit && !failure) await Promise.race(running);
      if (failure) break;
      const task: Promise<void> = work(item, index++).then(
        () => void running.delete(task),
        (error: unknown) => {
          running.delete(task);
          fail(error);
        },
      );
      running.add(task);
    }
  } catch (error) {
    fail(error);
  }
  await Promise.all(running);
  if (failure) throw failure.error;
}
