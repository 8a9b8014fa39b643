/** Whether the machine has room for one more process of tests. */
import { cpus, freemem } from 'node:os';

/** A share of one processor that is idle, below which one more process would only slow the others down. */
const idleProcessors = 0.5;
/** Bytes that a process of tests may need, with a server or a browser. */
const neededBytes = 2 * 1024 ** 3;

interface Times {
  readonly idle: number;
  readonly all: number;
}

/** @returns what says, at each call, whether processors were idle since the call before, and memory is left. */
export function roomMeter(read: () => Times = processorTimes, free: () => number = freemem): () => boolean {
  const count = cpus().length;
  let before = read();
  return () => {
    const now = read();
    const [idle, all] = [now.idle - before.idle, now.all - before.all];
    before = now;
    return all > 0 && (idle / all) * count >= idleProcessors && free() >= neededBytes;
  };
}

/** Of all processors together, in milliseconds. */
function processorTimes(): Times {
  let [idle, all] = [0, 0];
  for (const { times } of cpus()) {
    idle += times.idle;
    all += times.user + times.nice + times.sys + times.idle + times.irq;
  }
  return { idle, all };
}
