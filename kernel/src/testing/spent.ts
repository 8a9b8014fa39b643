/** What the time of a test file goes into, for the report of the test runner. */

export type TimeKind = 'servers' | 'building' | 'waiting';

/** Set by the test runner; absent where a file runs alone. */
export interface TimeMeter {
  begin(kind: TimeKind): void;
  end(kind: TimeKind): void;
}

/** Where the runner leaves its meter. */
export const timeMeter = Symbol.for('srv.test-time');

/** Counts the time of `work`: the start of a server, or a build. */
export async function spent<T>(kind: TimeKind, work: () => Promise<T>): Promise<T> {
  const meter = (globalThis as { [timeMeter]?: TimeMeter })[timeMeter];
  meter?.begin(kind);
  try {
    return await work();
  } finally {
    meter?.end(kind);
  }
}
