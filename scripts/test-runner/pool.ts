/** Work on a list, some of it at a time. */

/** Milliseconds between two questions for room: as long as a process of tests takes to load. */
const defaultAskMs = 2000;

interface PoolLimits {
  /** Items at a time, always. */
  readonly limit: number;
  /** Items at a time while there is room. Default: no more than `limit`. */
  readonly most?: number | undefined;
  /** Asked again and again: whether one more item may begin beyond `limit`. */
  readonly hasRoom?: (() => boolean) | undefined;
  readonly askMs?: number | undefined;
}

/** Calls `work` for each item in order; returns when all are done. @throws the first error of `work`. */
export async function inPool<T>(
  items: readonly T[],
  { limit, most = limit, hasRoom = () => false, askMs = defaultAskMs }: PoolLimits,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  let running = 0;
  const begin = async (): Promise<void> => {
    for (let next = rest.next(); !next.done; next = rest.next()) {
      running++;
      try {
        await work(next.value);
      } finally {
        running--;
      }
      // What began beyond the limit makes room for the question again.
      if (running >= limit) return;
    }
  };
  let asking: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve, reject) => {
    let workers = 0;
    const add = (): void => {
      workers++;
      begin().then(() => --workers === 0 && resolve(), reject);
    };
    for (let n = 0; n < Math.max(1, limit); n++) add();
    asking = setInterval(() => {
      if (running < most && hasRoom()) add();
    }, askMs);
  }).finally(() => clearInterval(asking));
}
