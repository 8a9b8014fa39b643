/** Work on several things, one after the other, that can continue after a failure. */

/**
 * @param act not called for what follows one that fails.
 * @param onLeft receives what is left after each that is done: what to begin with the next time.
 * @throws what `act` throws.
 */
export async function inOrder<T>(
  items: readonly T[],
  act: (item: T) => Promise<unknown>,
  onLeft: (left: readonly T[]) => void,
): Promise<void> {
  for (const [i, item] of items.entries()) {
    await act(item);
    onLeft(items.slice(i + 1));
  }
}
