/** Work on independent items, of which one that fails must not keep the others from theirs. */

/**
 * Works on one item after the other, also on those after a failure.
 * @throws the first failure, at the end; a failure to list the items at once.
 */
export async function workThrough<T>(items: AsyncIterable<T> | Iterable<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  let failure: { readonly error: unknown } | undefined;
  for await (const item of items) {
    try {
      await work(item);
    } catch (error) {
      failure ??= { error };
    }
  }
  if (failure) throw failure.error;
}
