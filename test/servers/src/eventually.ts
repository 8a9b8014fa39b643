/** Waits for a value: what a program shows after an action, it shows a moment later. */
import assert from 'node:assert/strict';

/** Milliseconds a value may take on a busy machine. */
const timeoutMs = 60_000;
/** Milliseconds between two checks. */
const interval = 25;

/**
 * Reads until the value is the expected one.
 * A value that holds from the start proves nothing: before "nothing appears", wait for something that does appear.
 * @param expected compared strictly; a regular expression is matched with the text that was read.
 * @throws AssertionError with the last value, after a minute.
 */
export async function eventually<T>(read: () => T | Promise<T>, expected: NoInfer<T> | RegExp, message?: string): Promise<void> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const found = await read();
    try {
      if (expected instanceof RegExp) assert.match(String(found), expected, message);
      else assert.deepEqual(found, expected, message);
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise(resolve => setTimeout(resolve, interval));
  }
}
