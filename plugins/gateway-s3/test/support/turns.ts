/** How often others get their turn while something runs. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let next = setImmediate(function count() {
    turns++;
    next = setImmediate(count);
  });
  try {
    await work();
  } finally {
    clearImmediate(next);
  }
  return turns;
}
