/** What every test server offers. */

export interface TestServer {
  /** Where clients reach it: `http://127.0.0.1:41233`, `postgres://…`. Stays the same over {@link stop} and {@link start}. */
  readonly url: string;
  /** Settings of `srv` that use it, as environment variables (`SRV_…`). */
  readonly env: Readonly<Record<string, string>>;
  /** Goes away without notice, as in a crash: connections break, what was acknowledged is kept. */
  stop(): Promise<void>;
  /** Comes back after {@link stop} on the same address with the same data. */
  start(): Promise<void>;
  /** Ends it for good and removes its data. */
  close(): Promise<void>;
}

/** Why a server cannot run here, for `t.skip`; tests that get one say `needs X`. */
export class NeedsError extends Error {}
