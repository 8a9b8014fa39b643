/** Iterators whose every step is measured. */

/** Runs one step and returns its answer. */
type Measure = <T>(step: () => Promise<T>) => Promise<T>;

/** Hands on `pages` as they are; fetching each of them is a step. */
export async function* measuredPages<T>(pages: AsyncIterable<T>, measure: Measure): AsyncGenerator<T> {
  const iterator = pages[Symbol.asyncIterator]();
  // One that has ended or failed needs no closing.
  let isOpen = false;
  try {
    for (;;) {
      const page = await measure(() => iterator.next());
      if (page.done) return;
      isOpen = true;
      yield page.value;
      isOpen = false;
    }
  } finally {
    if (isOpen) await iterator.return?.();
  }
}
