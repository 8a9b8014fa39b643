/** Retries requests to the object store. */
import { StoreRefusal } from './store-put.js';

const attempts = 3;
/** Milliseconds before the second attempt; doubled for each further one. */
const firstPause = 500;

/** @param act gets a fresh URL each time: the last may have expired. */
export async function retry<T>(act: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act();
    } catch (error) {
      if (signal.aborted || attempt === attempts || !isTransient(error)) throw error;
      await pause(firstPause * 2 ** (attempt - 1), signal);
    }
  }
}

/** Lost connections, busy stores, and URLs that expired on the way. */
function isTransient(error: unknown): boolean {
  return error instanceof StoreRefusal && (error.status === 0 || error.status === 403 || error.status === 429 || error.status >= 500);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
