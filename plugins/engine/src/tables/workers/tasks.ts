/** What a worker does: each task reads local files, yields pages and returns a result. */
import { setImmediate } from 'node:timers/promises';
import { SrvError } from '@srv/kernel/errors';
import { BaseView, MetarangeCursor, PageCursor, apply, compare, diff, merge, replace } from '../algorithms/index.js';
import { HeldTables } from '../cache/held-tables.js';
import { MetarangeWriter } from '../metarange-writer.js';
import { fromStaged } from '../staged-changes.js';
import { unpack } from './packing.js';
import { warmUp } from './warm-up.js';
import type { ChangeCursor, Comparison, Difference, Output } from '../algorithms/index.js';
import type { FileKind } from '../cache/cache-meter.js';
import type { FrameCache } from '../cache/frame-cache.js';
import type { Lease } from '../cache/reader-pool.js';
import type { TableReader } from '../format/index.js';
import type { Call, Task, TaskSettings } from './protocol.js';

/** What a task needs of its thread. */
interface TaskHost {
  readonly frames: FrameCache;
  acquire(kind: FileKind, id: string): Promise<Lease>;
  ask(call: Call): Promise<unknown>;
}

type TaskOf<K extends Task['kind']> = Extract<Task, { kind: K }>;

/** Milliseconds after which a task lets others have the thread. */
const slice = 10;

class TaskRun {
  readonly #host: TaskHost;
  readonly #settings: TaskSettings;
  readonly #cancel: Int32Array;
  readonly #held: HeldTables;
  #resumed = performance.now();

  constructor(host: TaskHost, settings: TaskSettings) {
    this.#host = host;
    this.#held = new HeldTables((kind, id) => host.acquire(kind, id));
    this.#settings = settings;
    this.#cancel = new Int32Array(settings.cancel);
  }

  async metarange(id: string): Promise<TableReader | undefined> {
    return id === '' ? undefined : this.#held.open('meta-range', id);
  }

  async cursor(id: string): Promise<MetarangeCursor> {
    return new MetarangeCursor(await this.metarange(id), this.#open, this.#leave);
  }

  async baseView(id: string): Promise<BaseView> {
    return new BaseView(await this.metarange(id), this.#open, this.#leave);
  }

  /** @param staged whether the values are rows of staging partitions. */
  async changes(staged: boolean): Promise<ChangeCursor> {
    const ask = (): Promise<unknown> => {
      const page = this.#host.ask({ method: 'changes' });
      // The caller that awaits it sees the failure; a task that ends early does not await it.
      page.catch(() => undefined);
      return page;
    };
    async function* pages() {
      // The next pages are got ready while some are worked on.
      for (let next = ask(); ; ) {
        const pages = (await next) as ArrayBuffer[] | undefined;
        if (pages === undefined) return;
        next = ask();
        for (const page of pages) yield staged ? unpack(page).map(fromStaged) : unpack(page);
      }
    }
    return PageCursor.open(pages());
  }

  /** Writes everything `outputs` yields; returns the metarange id and the generator's result. */
  async write<R>(
    outputs: AsyncGenerator<Output[], R>,
    properties: Readonly<Record<string, string>> = {},
  ): Promise<{ metarangeId: string; result: R }> {
    const { namespace, rules, workspaces, uploaders } = this.#settings;
    const store = async (kind: FileKind, id: string, file: string): Promise<void> => {
      await this.#host.ask({ method: 'store', namespace, kind, id, file });
    };
    const writer = new MetarangeWriter({ rules, workspaces, uploaders, properties, store, frames: this.#host.frames });
    try {
      for (;;) {
        const { done, value } = await outputs.next();
        if (done) return { metarangeId: await writer.finish(), result: value };
        await writer.write(value);
        await this.rest();
      }
    } catch (error) {
      await writer.abort();
      throw error;
    }
  }

  /** Between pages, once they have been read: ends a cancelled task, and lets other tasks of the thread run. */
  async rest(): Promise<void> {
    this.#held.giveBack();
    if (Atomics.load(this.#cancel, 0) === 1) throw new SrvError('cancelled', 'the request was cancelled');
    if (performance.now() - this.#resumed < slice) return;
    await setImmediate();
    this.#resumed = performance.now();
  }

  release(): void {
    this.#held.release();
  }

  readonly #open = (range: string): Promise<TableReader> => this.#held.open('range', range);
  readonly #leave = (range: string): void => this.#held.leave(range);
}

/** Starts a task. Its files stay open until the generator ends. */
export async function* runTask(task: Task, settings: TaskSettings, host: TaskHost): AsyncGenerator<unknown, unknown> {
  const run = new TaskRun(host, settings);
  try {
    switch (task.kind) {
      case 'apply':
        return await runApply(task, run);
      case 'merge':
        return (
          await run.write(
            merge(await run.cursor(task.destination), await run.cursor(task.source), await run.baseView(task.base), task.strategy),
          )
        ).metarangeId;
      case 'replace': {
        const removal = { prefixes: task.prefixes.map(p => Buffer.from(p)), keys: task.keys.map(k => Buffer.from(k)) };
        return (await run.write(replace(await run.cursor(task.base), await run.cursor(task.added), removal))).metarangeId;
      }
      case 'diff':
        return yield* runDiff(task, run);
      case 'warm-up':
        return await warmUp();
    }
  } finally {
    run.release();
  }
}

async function runApply({ base, staged, properties }: TaskOf<'apply'>, run: TaskRun): Promise<unknown> {
  const { metarangeId, result } = await run.write(apply(await run.cursor(base), await run.changes(staged)), properties);
  return { metarangeId, summary: result };
}

async function* runDiff(
  { left, right, base, exact, start, prefix }: TaskOf<'diff'>,
  run: TaskRun,
): AsyncGenerator<readonly (Difference | Comparison)[]> {
  // The right side has changed nothing.
  if (base === right) return;
  const [leftCursor, rightCursor] = [await run.cursor(left), await run.cursor(right)];
  if (start !== undefined) {
    await leftCursor.seek(Buffer.from(start));
    await rightCursor.seek(Buffer.from(start));
  }
  const differences = inside(diff(leftCursor, rightCursor, exact), prefix && Buffer.from(prefix));
  // Where the left side is the base, every difference is a change of the right one.
  const isTwoWay = base === undefined || base === left;
  for await (const page of isTwoWay ? differences : compare(differences, await run.baseView(base))) {
    await run.rest();
    if (page.length > 0) yield page;
  }
}

/** Differences below a prefix, until there can be no more. */
async function* inside(differences: AsyncIterable<Difference[]>, prefix: Buffer | undefined): AsyncGenerator<Difference[]> {
  for await (const page of differences) {
    yield prefix ? page.filter(({ key }) => key.subarray(0, prefix.length).equals(prefix)) : page;
    const last = page[page.length - 1];
    if (prefix && last && Buffer.compare(last.key.subarray(0, prefix.length), prefix) > 0) return;
  }
}
