/** Work on a list, some of it at a time. */

/** Calls `work` for each item in order, at most `limit` at a time; returns when all are done. */
export async function inPool<T>(items: readonly T[], limit: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.max(1, limit) }, worker));
}
