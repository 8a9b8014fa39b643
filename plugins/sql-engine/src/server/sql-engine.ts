/** The service: finds what a query names, brings it into a folder of the query's own, runs it, and streams the result. */
import { createReadStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SrvError, isSrvError, isStorageFull, messageOf } from '@srv/kernel';
import { runInProcess } from '@srv/lib-api/job-process';
import { Turns } from '@srv/lib-api/turns';
import { makeOwnFolder, removeOwnFolder } from '@srv/lib-records/owned-folder';
import { engineSql, fileReplacement, quotedName } from '@srv/lib-records/tables/sql/engine-sql';
import { folderPrefix, folders, resultFile } from '../engine/job.js';
import { QueryFiles, findCatalogTables, findObjects, findTables, keyOf, tableFormats } from './files.js';
import { installAdvice, installedModule } from './installed.js';
import { referencesOf } from './references.js';
import { refusalText } from './refusal-text.js';
import type { Logger } from '@srv/kernel';
import type { SqlEngine, SqlRequest, SqlResult } from '../contract.js';
import type { Job, JobAnswer } from '../engine/job.js';
import type { FileSources, FoundCatalogTable, FoundObjects, FoundTable } from './files.js';
import type { QueryMeter } from './meter.js';
import type { QueryReferences } from './references.js';
import type { TableCache } from './table-cache.js';

export interface SqlEngineOptions {
  readonly sources: () => FileSources;
  /** Folder where the engine is installed; absent: where srv is. */
  readonly installedIn: string | undefined;
  readonly folder: string;
  /** Bytes of the files of one query. */
  readonly disk: number;
  /** Bytes. */
  readonly memory: number;
  readonly threads: number;
  readonly concurrency: number;
  /** Milliseconds. */
  readonly timeout: number;
  readonly maxRows: number;
  readonly cache: TableCache;
  readonly meter: QueryMeter;
  readonly log: Pick<Logger, 'warn'>;
}

/** Mebibytes of JavaScript values in the process of a query. */
const processHeap = 64;
/** Queries that wait, for each that runs. */
const waitingPerTurn = 8;

export function createSqlEngine(options: SqlEngineOptions): SqlEngine {
  const turns = new Turns(options.concurrency);
  const query = async (request: SqlRequest): Promise<SqlResult> => {
    const module = installedModule(options.installedIn);
    if (module === undefined) throw new SrvError('unsupported', installAdvice);
    const references = referencesOf(request.sql);
    const sources = options.sources();
    const tables = await findTables(references, request, sources);
    const catalogTables = await findCatalogTables(references, request, sources);
    const objects = await findObjects(references, request, sources.engine);
    if (turns.waiting >= options.concurrency * waitingPerTurn)
      throw new SrvError('too_many_tries', 'too many queries wait', {
        details: { note: 'too many queries wait (sql_engine.concurrency)' },
      });
    const release = await turns.acquire(request.signal);
    let folder: string | undefined;
    const end = async (): Promise<void> => {
      release();
      if (folder !== undefined) await removeOwnFolder(folder, options.log);
    };
    try {
      folder = await makeOwnFolder(options.folder, folderPrefix);
      return await runIn(folder, { module, references, objects, tables, catalogTables, sources, request }, options, end);
    } catch (error) {
      await end();
      throw explained(error, options);
    }
  };
  return {
    missing: () => (installedModule(options.installedIn) === undefined ? installAdvice : undefined),
    query: request => options.meter.measure(() => query(request)),
  };
}

interface Query {
  readonly module: string;
  readonly references: QueryReferences;
  readonly objects: FoundObjects;
  readonly tables: readonly FoundTable[];
  readonly catalogTables: readonly FoundCatalogTable[];
  readonly sources: FileSources;
  readonly request: SqlRequest;
}

async function runIn(folder: string, query: Query, options: SqlEngineOptions, end: () => Promise<void>): Promise<SqlResult> {
  const { objects, request, sources } = query;
  const { signal, limit, format } = request;
  for (const name of Object.values(folders)) await mkdir(join(folder, name));
  const files = new QueryFiles(folder, options.disk);
  const names = await files.copy(objects, sources.engine, signal);
  const systemTables = await files.writeTables(query.tables, options.cache, request);
  const catalogTables = await files.writeCatalogTables(query.catalogTables, systemTables.length, signal);
  const job: Job = {
    module: query.module,
    folder,
    threads: options.threads,
    memory: options.memory,
    disk: files.rest,
    tables: [...systemTables, ...catalogTables],
    sql: rewritten(query, names),
    format,
    // One more than is allowed shows that there are too many.
    rows: Math.min(limit ?? Number.POSITIVE_INFINITY, options.maxRows + 1),
  };
  const answer = await runInProcess({
    program: new URL('../engine/worker.js', import.meta.url),
    job,
    folder,
    heap: processHeap,
    name: 'the query',
    timeout: { ms: options.timeout, key: 'sql_engine.timeout' },
    signal,
    settle: () => files.keepTables(options.cache),
  });
  const rows = rowsOf(answer as JobAnswer, files, options);
  if (rows > options.maxRows) {
    const remedy = limit === undefined ? 'add LIMIT' : `add LIMIT, or lower limit, which is ${limit}`;
    throw new SrvError('invalid', `the query has more than ${options.maxRows} rows (sql_engine.max_rows); ${remedy}`);
  }
  const { size } = await stat(join(folder, resultFile));
  const body = createReadStream(join(folder, resultFile));
  // An error reaches the reader, and the stream closes after it.
  body.once('error', () => undefined).once('close', () => void end());
  return { rows, size, body };
}

/** @throws SrvError for every answer but success. */
function rowsOf(answer: JobAnswer, files: QueryFiles, options: SqlEngineOptions): number {
  switch (answer.kind) {
    case 'done':
      return answer.rows;
    case 'exceeded': {
      const [amount, setting] =
        answer.what === 'memory' ? [options.memory, 'sql_engine.memory_bytes'] : [options.disk, 'sql_engine.disk_bytes'];
      throw new SrvError('invalid', `the query needs more than ${amount} bytes of ${answer.what} (${setting})`);
    }
    case 'refused':
      throw new SrvError('invalid', refusalText(answer.message, files));
  }
}

/** The query with names of the engine's own. @throws SrvError `invalid` for an object whose name does not show its format. */
function rewritten({ references, tables, catalogTables }: Query, names: ReadonlyMap<string, readonly string[]>): string {
  const keys = [...tables.map(keyOf), ...new Set(catalogTables.map(keyOf))];
  try {
    const replacements = [
      ...references.files.map(file => fileReplacement(file, { names: names.get(file.text) ?? [], formats: tableFormats })),
      ...references.tables.map(table => ({ start: table.start, end: table.end, sql: `srv_${keys.indexOf(keyOf(table))}.${table.name}` })),
      ...catalogTables.map(table => ({
        start: table.start,
        end: table.end,
        sql: `srv_${keys.indexOf(keyOf(table))}.${quotedName(table.name.at(-1) ?? '')}`,
      })),
    ];
    return engineSql(
      references.sql,
      replacements.sort((a, b) => a.start - b.start),
    );
  } catch (error) {
    throw new SrvError('invalid', messageOf(error), { cause: error });
  }
}

function explained(error: unknown, { folder }: SqlEngineOptions): unknown {
  if (isSrvError(error) || !isStorageFull(error)) return error;
  return new SrvError('storage_full', `no space is left in ${folder} (sql_engine.dir)`, { cause: error });
}
