/** Does work for every item of a stream, several at a time, without reading ahead. */

/** @throws the first failure, after the work under way has ended; nothing new is begun after it. */
export async function forEachParallel<T>(items: AsyncIterable<T>, parallelism: number, work: (item: T) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  const state: { failure?: { readonly error: unknown } } = {};
  const worker = async (): Promise<void> => {
    try {
      for (let next = await iterator.next(); !next.done && !state.failure; next = await iterator.next()) await work(next.value);
    } catch (error) {
      state.failure ??= { error };
    }
  };
  await Promise.all(Array.from({ length: parallelism }, worker));
  if (!state.failure) return;
  await iterator.return?.();
  throw state.failure.error;
}
