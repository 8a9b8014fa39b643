/** What a test file used: processor time, and what its time went into. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { timeMeter } from '@srv/kernel/testing';
import type { TimeKind, TimeMeter } from '@srv/kernel/testing';

/** Names the folder in which test files leave their usage. */
export const usageVariable = 'SRV_TEST_USAGE';

export interface Usage {
  /** Of the file's process and, on Linux, of the processes that it waited for; in seconds. */
  readonly processor: number;
  /** Seconds in which at least one such activity was in progress. */
  readonly spent: Readonly<Record<TimeKind, number>>;
  /** From the first test to the last, of a file that shares its process. */
  readonly milliseconds?: number;
}

const fileOf = (folder: string, compiled: string): string => join(folder, `${createHash('sha1').update(compiled).digest('hex')}.json`);

/** @returns `undefined` when the file left nothing: it was killed. */
export function readUsage(folder: string, compiled: string): Usage | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(folder, compiled), 'utf8')) as Usage;
  } catch {
    return undefined;
  }
}

/** Processor time of the files of this process that have ended, in seconds. */
let accounted = 0;

/** Measures this process, which runs a test file, until it ends. */
export function measureThisFile(folder: string): void {
  Object.assign(globalThis, { [timeMeter]: meter });
  countSleeps();
  process.on('exit', () => {
    const usage: Usage = { processor: processorSeconds(), spent: meter.seconds() };
    writeFileSync(fileOf(folder, process.argv[1] ?? ''), JSON.stringify(usage));
  });
}

/** Measures one of several files that share this process. The first bears the cost of loading them all. @returns what ends it. */
export function measureFileOfGroup(compiled: string): () => void {
  const folder = process.env[usageVariable];
  if (folder === undefined) return () => undefined;
  const begin = performance.now();
  meter.reset();
  return () => {
    const total = processorSeconds();
    const usage: Usage = { processor: total - accounted, spent: meter.seconds(), milliseconds: performance.now() - begin };
    accounted = total;
    writeFileSync(fileOf(folder, compiled), JSON.stringify(usage));
  };
}

class Meter implements TimeMeter {
  readonly #kinds = { servers: new Span(), building: new Span(), waiting: new Span() };

  begin(kind: TimeKind): void {
    this.#kinds[kind].begin();
  }

  end(kind: TimeKind): void {
    this.#kinds[kind].end();
  }

  /** Begins a new file. */
  reset(): void {
    for (const span of Object.values(this.#kinds)) span.reset();
  }

  seconds(): Usage['spent'] {
    const { servers, building, waiting } = this.#kinds;
    return { servers: servers.seconds(), building: building.seconds(), waiting: waiting.seconds() };
  }
}

/** Time in which at least one of several activities, which may overlap, is in progress. */
class Span {
  #running = 0;
  #since = 0;
  #milliseconds = 0;

  begin(): void {
    if (this.#running++ === 0) this.#since = performance.now();
  }

  end(): void {
    if (--this.#running === 0) this.#milliseconds += performance.now() - this.#since;
  }

  reset(): void {
    this.#milliseconds = 0;
    this.#since = performance.now();
  }

  seconds(): number {
    return (this.#milliseconds + (this.#running > 0 ? performance.now() - this.#since : 0)) / 1000;
  }
}

/** Counts what waits by `setTimeout` of `node:timers/promises`, as tests do. */
function countSleeps(): void {
  const timers = createRequire(import.meta.url)('node:timers/promises') as { setTimeout: (...args: unknown[]) => Promise<unknown> };
  const original = timers.setTimeout;
  timers.setTimeout = async (...args) => {
    meter.begin('waiting');
    try {
      return await original(...args);
    } finally {
      meter.end('waiting');
    }
  };
  syncBuiltinESMExports();
}

const meter = new Meter();

/** Ticks of the clock in which Linux counts processor time, per second. */
const ticks = 100;

function processorSeconds(): number {
  try {
    // Fields 14 to 17, after the name in parentheses: user and system time, of the process and of its children.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ').slice(11, 15) ?? [];
    return fields.reduce((sum, field) => sum + Number(field), 0) / ticks;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  }
}
