/** SIGINT and SIGTERM. */

/** A package runner passes the terminal's signal on, so that one key press arrives twice. */
const echoMs = 250;

/** Resolves at the first signal. A second one ends the process at once. */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise(resolve => {
    let first: number | undefined;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        const now = Date.now();
        if (first !== undefined && now - first > echoMs) process.exit(1);
        first ??= now;
        resolve(signal);
      });
    }
  });
}
