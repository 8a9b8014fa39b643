/** Entry point of a worker thread: runs tasks, asks the serving thread for files, uploads and changes. */
import { parentPort } from 'node:worker_threads';
import { SrvError } from '@srv/kernel/errors';
import { FrameCache } from '../cache/frame-cache.js';
import { ReaderPool } from '../cache/reader-pool.js';
import { pack } from './packing.js';
import { fromPlain, toPlain } from './protocol.js';
import { runTask } from './tasks.js';
import type { MessagePort } from 'node:worker_threads';
import type { Comparison } from '../algorithms/index.js';
import type { FileKind } from '../cache/cache-meter.js';
import type { Call, Request, Response, Task, TaskSettings } from './protocol.js';

/** Bytes of prepared blocks a worker keeps. */
const frameBytes = 64 << 20;

const port = portOf(parentPort);
const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
const running = new Map<number, AsyncGenerator<unknown, unknown>>();
let host: { readonly frames: FrameCache; readonly pools: Readonly<Record<FileKind, ReaderPool>> } | undefined;
let calls = 0;
/** Tasks whose ends are not over. */
let ending = 0;
/** Calls that belong to no task: files are shared by all. */
const noTask = 0;

function portOf(found: MessagePort | null): MessagePort {
  if (found === null) throw new SrvError('internal', 'this module runs in a worker thread');
  return found;
}

function poolFor(kind: FileKind, limit: number): ReaderPool {
  return new ReaderPool(
    {
      path: async (namespace, id) => String(await ask(noTask, { method: 'path', namespace, kind, id, damaged: false })),
      discard: async (namespace, id) => void (await ask(noTask, { method: 'path', namespace, kind, id, damaged: true })),
    },
    { limit },
  );
}

/** Of one owner, whose settings do not change. */
function hostFor({ rules, openReaders }: TaskSettings): NonNullable<typeof host> {
  host ??= {
    frames: new FrameCache(frameBytes, rules),
    pools: { range: poolFor('range', openReaders.range), 'meta-range': poolFor('meta-range', openReaders['meta-range']) },
  };
  return host;
}

function ask(task: number, call: Call): Promise<unknown> {
  const id = ++calls;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    send({ type: 'call', call: id, task, ask: call });
  });
}

function send(response: Response, transfer: ArrayBuffer[] = []): void {
  port.postMessage(response, transfer);
}

function begin(task: number, work: Task, settings: TaskSettings): void {
  const { frames, pools } = hostFor(settings);
  running.set(
    task,
    runTask(work, settings, {
      frames,
      ask: call => ask(task, call),
      acquire: (kind, id) => pools[kind].acquire(settings.namespace, id),
    }),
  );
}

async function next(task: number): Promise<void> {
  const generator = running.get(task);
  if (!generator) return;
  try {
    const { done, value } = await generator.next();
    if (done) {
      running.delete(task);
      send({ type: 'page', task, done: true, value });
    } else {
      const { types, records } = packComparisons(value as readonly Comparison[]);
      send({ type: 'page', task, done: false, value: { types, records } }, [records]);
    }
  } catch (error) {
    running.delete(task);
    send({ type: 'failed', task, error: toPlain(error) });
  }
}

async function end(task: number): Promise<void> {
  const generator = running.get(task);
  running.delete(task);
  ending++;
  await generator?.return(undefined).catch(() => undefined);
  ending--;
}

/** Lets go of what belongs to the owner, unless something is still under way. */
function rest(): void {
  const isBusy = running.size + ending + waiting.size > 0;
  if (!isBusy) {
    for (const pool of Object.values(host?.pools ?? {})) pool.close();
    host = undefined;
  }
  send({ type: 'rested', isBusy });
}

/** Left and right value of each difference, one after the other. */
function packComparisons(page: readonly Comparison[]): { types: string[]; records: ArrayBuffer } {
  return {
    types: page.map(({ type }) => type),
    records: pack(
      page.flatMap(({ key, left, right }) => [
        { key, value: left },
        { key: Buffer.alloc(0), value: right },
      ]),
    ),
  };
}

port.on('message', (request: Request) => {
  if (request.type === 'begin') begin(request.task, request.work, request.settings);
  else if (request.type === 'next') void next(request.task);
  else if (request.type === 'end') void end(request.task);
  else if (request.type === 'rest') rest();
  else {
    const { call, error, value } = request;
    const caller = waiting.get(call);
    waiting.delete(call);
    if (error) caller?.reject(fromPlain(error));
    else caller?.resolve(value);
  }
});
