/** `node:timers/promises`: waits that a signal ends. */

function wait<T>(milliseconds = 1, value?: T, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason instanceof Error ? signal.reason : new Error('stopped'));
    };
    const timer = globalThis.setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve(value);
    }, milliseconds);
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
  });
}

export { wait as setTimeout };
export const setImmediate = <T>(value?: T): Promise<T | undefined> => wait(0, value);
