/** The end of a thread that has one answer to give. */
import { parentPort } from 'node:worker_threads';

/**
 * Posts the last message of this thread, and waits for its owner to terminate it. A thread whose event loop runs empty waits
 * for the compilers of V8 in a way in which it does not collect garbage, and they may be waiting for that: such a thread never
 * ends, nor does the process (https://github.com/nodejs/node/issues/54918).
 */
export function postLast(message: unknown): void {
  parentPort?.postMessage(message);
  parentPort?.ref();
}
