/** What a test of memory measures: not the garbage, of which a busy machine collects less. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes in use, of values and of buffers, once everything that can go is gone. Takes some ten milliseconds. */
export function heldBytes(): number {
  // Buffers that the first collection finds unused are freed in the background; the second waits for it.
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
