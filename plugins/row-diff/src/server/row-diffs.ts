/** The service: copies both objects, compares them in a process with limits, and streams the result from its file. */
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SrvError, isStorageFull, throwIfAborted } from '@srv/kernel';
import { runInProcess } from '@srv/lib-api/job-process';
import { Turns } from '@srv/lib-api/turns';
import { makeOwnFolder, removeOwnFolder } from '@srv/lib-records/owned-folder';
import type { Engine, Entry } from '@srv/engine/contract';
import type { Logger } from '@srv/kernel';
import type { TableFormat } from '@srv/lib-records/tables/table-format';
import type { RowDiffRequest, RowDiffSide, RowDiffs } from '../contract.js';
import type { WorkAnswer, WorkRequest } from '../work/request.js';

export interface RowDiffOptions {
  readonly engine: Pick<Engine, 'getEntry' | 'open'>;
  /** Bytes. */
  readonly maxObject: number;
  /** Bytes of one comparison. */
  readonly memory: number;
  readonly concurrency: number;
  /** Milliseconds. */
  readonly timeout: number;
  readonly folder: string;
  readonly log: Pick<Logger, 'warn'>;
}

/** Mebibytes of JavaScript values in the main thread of a process, which only watches. */
const processHeap = 64;
/** Of the names of folders in `row_diff.dir`. */
export const folderPrefix = 'srv-row-diff-';

const formats: readonly (readonly [ending: RegExp, format: TableFormat])[] = [
  [/\.(?:parquet|parq)$/i, 'parquet'],
  [/\.(?:csv|tsv|tab)$/i, 'delimited'],
  [/\.(?:jsonl|ndjson)$/i, 'json-lines'],
  [/\.(?:arrow|arrows|feather)$/i, 'arrow'],
  [/\.avro$/i, 'avro'],
];

export function createRowDiffs(options: RowDiffOptions): RowDiffs {
  const turns = new Turns(options.concurrency);
  return {
    async compare(repository, request) {
      const { engine, maxObject } = options;
      const [left, right] = await Promise.all([request.left, request.right].map(({ ref, path }) => engine.getEntry(repository, ref, path)));
      if (!left || !right) throw new SrvError('internal', 'two entries were read');
      for (const { path, size } of [left, right])
        if (size > maxObject)
          throw new SrvError('invalid', `${path} has ${size} bytes; at most ${maxObject} are compared (row_diff.max_object_bytes)`);
      const format = formatOf(request);
      const release = await turns.acquire(request.signal);
      let folder: string | undefined;
      const end = async (): Promise<void> => {
        release();
        if (folder !== undefined) await removeOwnFolder(folder, options.log);
      };
      try {
        folder = await makeOwnFolder(options.folder, folderPrefix);
        const files = { left: join(folder, 'left'), right: join(folder, 'right'), result: join(folder, 'result') };
        await copy(engine, { repository, entry: left, file: files.left, signal: request.signal });
        await copy(engine, { repository, entry: right, file: files.right, signal: request.signal });
        const { memory } = options;
        const { key, limit = Number.MAX_SAFE_INTEGER, signal } = request;
        await work({ ...files, format, key, limit, memory }, folder, options, signal);
        const { size } = await stat(files.result);
        const body = createReadStream(files.result);
        // An error reaches the reader, and the stream closes after it.
        body.once('error', () => undefined).once('close', () => void end());
        return { body, size };
      } catch (error) {
        await end();
        if (isStorageFull(error))
          throw new SrvError('storage_full', `no space is left in ${options.folder} (row_diff.dir)`, { cause: error });
        throw error;
      }
    },
  };
}

/** @throws SrvError `invalid` where the names do not say it, or say different ones. */
function formatOf({ left, right, format }: RowDiffRequest): TableFormat {
  if (format) return format;
  const [one, other] = [byName(left), byName(right)];
  if (one !== other)
    throw new SrvError('invalid', `${left.path} and ${right.path} are tables of different formats; convert one of them, or pass format`);
  if (!one)
    throw new SrvError(
      'invalid',
      `the name of ${left.path} does not say which table it is; pass format: parquet, delimited, json-lines, arrow or avro`,
    );
  return one;
}

function byName({ path }: RowDiffSide): TableFormat | undefined {
  return formats.find(([ending]) => ending.test(path))?.[1];
}

interface Copy {
  readonly repository: string;
  readonly entry: Entry;
  readonly file: string;
  readonly signal: AbortSignal | undefined;
}

async function copy(engine: Pick<Engine, 'open'>, { repository, entry, file, signal }: Copy): Promise<void> {
  throwIfAborted(signal);
  const options = { signal };
  await pipeline(await engine.open(repository, entry, options), createWriteStream(file, { flags: 'wx', mode: 0o600 }), options);
}

/**
 * In a process of its own: a thread that reaches a limit may end its process.
 * @throws SrvError `invalid` for tables that cannot be compared or need more memory, `timeout`, `cancelled`, `unavailable`.
 */
async function work(job: WorkRequest, folder: string, { timeout }: Pick<RowDiffOptions, 'timeout'>, signal: AbortSignal | undefined) {
  const answer = (await runInProcess({
    program: new URL('../work/process.js', import.meta.url),
    job,
    folder,
    heap: processHeap,
    name: 'the comparison',
    timeout: { ms: timeout, key: 'row_diff.timeout' },
    signal,
    answerWhenKilled: { done: false } satisfies WorkAnswer,
  })) as WorkAnswer;
  if ('message' in answer) throw new SrvError('invalid', `the tables cannot be compared: ${answer.message}`);
  if (answer.done) return;
  throw new SrvError('invalid', `the comparison needs more than ${job.memory} bytes of memory (row_diff.memory_bytes)`);
}
