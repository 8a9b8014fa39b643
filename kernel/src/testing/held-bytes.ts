/** What a test of memory measures: not the garbage, of which a busy machine collects less. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * Bytes in use, of values and of buffers, once everything that can go is gone. Takes some ten milliseconds.
 * @param enough no more is collected once this many are in use or fewer: for a caller who only wants to know whether it is more.
 */
export function heldBytes(enough = 0): number {
  let used = bytesInUse();
  // Buffers that the first collection finds unused are freed in the background; the second waits for it.
  for (let collections = 0; collections < 2 && used > enough; collections++) {
    collectGarbage();
    used = bytesInUse();
  }
  return used;
}

function bytesInUse(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
