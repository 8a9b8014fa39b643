/** Brings what a query names into its folder, as far as the caller may read it. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SrvError, throwIfAborted } from '@srv/kernel';
import { demand, may, objectArn, repositoryArn } from '@srv/lib-api';
import { patternOf } from '@srv/lib-records/tables/sql/address';
import { extensionOf, tableFormatOf } from '@srv/lib-records/tables/sql/formats';
import { folders } from '../engine/job.js';
import { scanSql } from './scan-sql.js';
import { linesOf } from './table-lines.js';
import type { Engine, Entry } from '@srv/engine/contract';
import type { CatalogTable, CatalogTables, ScanFile, TableScan } from '@srv/lib-records/tables/catalog-tables';
import type { Address } from '@srv/lib-records/tables/sql/address';
import type { SystemTable } from '@srv/lib-records/tables/system-tables';
import type { SqlRequest } from '../contract.js';
import type { JobTable } from '../engine/job.js';
import type { NamedChain, NamedTable, QueryReferences } from './references.js';
import type { TableCache } from './table-cache.js';

/** Bytes of a table in lines of JSON from which it is kept: smaller ones are quickly made again. */
const leastKept = 1_048_576;
/** That queries read. */
export const tableFormats = ['parquet', 'csv', 'json'] as const;
/** Objects of one pattern. */
const maxMatches = 1000;

export type Caller = Pick<SqlRequest, 'decide' | 'signal'>;
type TableRequest = Pick<SqlRequest, 'signal' | 'uncommitted'>;

/** A table of a catalog that the query names. */
export interface FoundCatalogTable extends NamedChain {
  readonly table: CatalogTable;
}

export interface FileSources {
  readonly engine: Pick<Engine, 'getEntry' | 'getRepository' | 'list' | 'open'>;
  /** By name. */
  readonly systemTables: Readonly<Record<string, SystemTable>>;
  /** Absent: there is no catalog. */
  readonly catalogTables: CatalogTables | undefined;
}

/** Objects of each address, which the caller may read. */
export type FoundObjects = ReadonlyMap<string, { readonly at: Address; readonly entries: readonly Entry[] }>;

/** @throws SrvError `denied`, `not_found`, `invalid` for more objects than a pattern may name. */
export async function findObjects({ files }: QueryReferences, caller: Caller, engine: FileSources['engine']): Promise<FoundObjects> {
  const found = new Map<string, { at: Address; entries: readonly Entry[] }>();
  for (const { at, text } of files) if (!found.has(text)) found.set(text, { at, entries: await matching(at, caller, engine) });
  return found;
}

async function matching(at: Address, caller: Caller, engine: FileSources['engine']): Promise<readonly Entry[]> {
  const { repository, ref, path } = at;
  const pattern = patternOf(path);
  if (!pattern) {
    await demand(caller.decide, may('fs:ReadObject', objectArn(repository, path)));
    return [await engine.getEntry(repository, ref, path)];
  }
  await demand(caller.decide, may('fs:ListObjects', repositoryArn(repository)));
  const entries: Entry[] = [];
  for (let after = ''; ; ) {
    throwIfAborted(caller.signal);
    const page = await engine.list(repository, ref, { prefix: pattern.prefix, after, amount: 1000 });
    for (const item of page.results) if (item.kind === 'object' && pattern.glob.matches(item.path)) entries.push(item.entry);
    if (entries.length > maxMatches)
      throw new SrvError('invalid', `srv://${repository}/${ref}/${path} names more than ${maxMatches} objects; narrow it down`);
    if (!page.hasMore) break;
    after = page.nextOffset;
  }
  if (entries.length === 0) throw new SrvError('not_found', `no object matches srv://${repository}/${ref}/${path}`);
  for (const entry of entries) await demand(caller.decide, may('fs:ReadObject', objectArn(repository, entry.path)));
  return entries;
}

/** A table that the query names, once. */
export interface FoundTable extends NamedTable {
  readonly table: SystemTable;
}

/** @returns tables of the query, each once. @throws SrvError `denied`, `not_found`, `invalid` for an unknown table. */
export async function findTables({ tables }: QueryReferences, caller: Caller, sources: FileSources): Promise<readonly FoundTable[]> {
  const found = new Map<string, FoundTable>();
  for (const named of tables) {
    if (found.has(keyOf(named))) continue;
    const { repository, name } = named;
    const table = Object.hasOwn(sources.systemTables, name) ? sources.systemTables[name] : undefined;
    if (!table) throw unknownTable(name, Object.keys(sources.systemTables));
    await demand(caller.decide, table.permission(repository));
    await sources.engine.getRepository(repository);
    found.set(keyOf(named), { ...named, table });
  }
  return [...found.values()];
}

/** @returns tables of catalogs, each use of one. @throws SrvError `denied`, `not_found`. */
export async function findCatalogTables(
  { chains }: QueryReferences,
  caller: Caller,
  { catalogTables }: FileSources,
): Promise<readonly FoundCatalogTable[]> {
  const found: FoundCatalogTable[] = [];
  const known = new Map<string, CatalogTable>();
  for (const chain of chains) {
    const { repository, ref, name, isTable } = chain;
    const table = known.get(keyOf(chain)) ?? (await catalogTables?.find(repository, ref, name));
    if (table) {
      if (!known.has(keyOf(chain))) await demand(caller.decide, table.permission);
      known.set(keyOf(chain), table);
      found.push({ ...chain, table });
    } else if (isTable)
      throw new SrvError(
        'not_found',
        `there is no table ${name.join('.')} on srv://${repository}/${ref}${catalogTables ? '' : ', and no catalog of tables'}`,
      );
  }
  return found;
}

/** The same for each use of a table. */
export function keyOf({ repository, ref, name }: Pick<NamedTable | NamedChain, 'name' | 'ref' | 'repository'>): string {
  return JSON.stringify([repository, ref, name]);
}

function unknownTable(name: string, known: readonly string[]): SrvError {
  const tables = known.map(table => `system.${table}`).join(' and ');
  return new SrvError(
    'invalid',
    `there is no table system.${name}; ${known.length === 0 ? 'the plugin search has some' : `there are ${tables}`}`,
  );
}

/** The files of one query, which have a number of bytes together at most. */
export class QueryFiles {
  readonly folder: string;
  /** Addresses by names of files, for messages. */
  readonly addresses = new Map<string, string>();
  readonly #limit: number;
  /** Files of tables by key. */
  readonly #toKeep = new Map<string, string>();
  #bytes = 0;

  constructor(folder: string, limit: number) {
    this.folder = folder;
    this.#limit = limit;
  }

  /** Bytes that are left. */
  get rest(): number {
    return this.#limit - this.#bytes;
  }

  /** @returns names of the files of each address. */
  async copy(
    objects: FoundObjects,
    engine: FileSources['engine'],
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, string[]>> {
    for (const { entries } of objects.values()) for (const { size } of entries) this.#count(size);
    const names = new Map<string, string[]>();
    for (const [text, { at, entries }] of objects) {
      const files: string[] = [];
      for (const entry of entries) {
        const name = `srv-file-${this.addresses.size}${endingOf(entry.path)}`;
        this.addresses.set(name, `srv://${at.repository}/${at.ref}/${entry.path}`);
        files.push(`${folders.input}/${name}`);
        await this.#write(name, await engine.open(at.repository, entry, { signal }), signal);
      }
      names.set(text, files);
    }
    return names;
  }

  /** @returns as the engine is to see them, in the same order. */
  async writeTables(tables: readonly FoundTable[], cache: TableCache, { uncommitted = false, signal }: TableRequest): Promise<JobTable[]> {
    const written: JobTable[] = [];
    for (const { repository, ref, name, table } of tables) {
      const number = written.length;
      const [lines, parquet] = [`table-${number}`, `table-${number}.parquet`];
      const { id, rows } = await table.open(repository, ref, { uncommitted });
      const shared = { schema: `srv_${number}`, name, columns: table.columns };
      const key = id === undefined ? undefined : JSON.stringify([name, id]);
      const kept = key === undefined ? undefined : await cache.take(key, this.#pathOf(parquet));
      if (kept !== undefined) {
        this.#count(kept);
        written.push({ ...shared, file: `${folders.input}/${parquet}`, format: 'parquet' });
        continue;
      }
      const before = this.#bytes;
      await this.#write(
        lines,
        Readable.from(
          linesOf(rows(signal), bytes => this.#count(bytes)),
          { objectMode: false },
        ),
        signal,
      );
      const isKept = key !== undefined && cache.isUsed && this.#bytes - before >= leastKept;
      if (isKept) this.#toKeep.set(key, this.#pathOf(parquet));
      const made = isKept ? { parquet: `${folders.input}/${parquet}` } : {};
      written.push({ ...shared, file: `${folders.input}/${lines}`, format: 'json-lines', ...made });
    }
    return written;
  }

  /** @returns as the engine is to see them, each once. @param from number of the first one. */
  async writeCatalogTables(tables: readonly FoundCatalogTable[], from: number, signal: AbortSignal | undefined): Promise<JobTable[]> {
    const written = new Map<string, JobTable>();
    for (const found of tables) {
      if (written.has(keyOf(found))) continue;
      const number = from + written.size;
      const scan = await found.table.scan(signal);
      const copies = new Map<string, string>();
      const copy = async (file: ScanFile): Promise<void> => {
        if (copies.has(file.address)) return;
        const name = `srv-table-${number}-${copies.size}.parquet`;
        this.addresses.set(name, file.address);
        copies.set(file.address, `${folders.input}/${name}`);
        await this.#write(name, Readable.from(this.#counted(await file.open(signal)), { objectMode: false }), signal);
      };
      for (const { data, positions, equal } of scan.groups)
        for (const file of [...data, ...positions, ...equal.map(rows => rows.file)]) await copy(file);
      const copyOf = ({ address }: Pick<ScanFile, 'address'>): string => copies.get(address) ?? '';
      const vectors = await this.#writeVectors(`vectors-${number}`, scan, copyOf, signal);
      written.set(keyOf(found), {
        schema: `srv_${number}`,
        name: found.name.at(-1) ?? '',
        query: scanSql(scan, { copyOf, vectors }),
        files: scan.groups.flatMap(({ data }) => data.map(copyOf)),
      });
    }
    return [...written.values()];
  }

  /** @returns name of the file for the engine; `undefined`: the table has none. */
  async #writeVectors(
    name: string,
    { groups }: TableScan,
    copyOf: (file: Pick<ScanFile, 'address'>) => string,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    if (groups.every(({ vectors }) => vectors.size === 0)) return undefined;
    const rows = (async function* () {
      for (const { vectors } of groups)
        for (const [address, positions] of vectors) for (const pos of positions) yield { file: copyOf({ address }), pos };
    })();
    const lines = linesOf(rows, bytes => this.#count(bytes));
    await this.#write(name, Readable.from(lines, { objectMode: false }), signal);
    return `${folders.input}/${name}`;
  }

  async *#counted(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      this.#count(chunk.length);
      yield chunk;
    }
  }

  /** Keeps the tables that were made in Parquet. */
  async keepTables(cache: TableCache): Promise<void> {
    for (const [key, file] of this.#toKeep) await cache.keep(key, file);
  }

  #pathOf(name: string): string {
    return join(this.folder, folders.input, name);
  }

  async #write(name: string, from: Readable, signal: AbortSignal | undefined): Promise<void> {
    const to = createWriteStream(this.#pathOf(name), { flags: 'wx', mode: 0o600 });
    await pipeline(from, to, { signal });
  }

  /** @throws SrvError `invalid` above the limit. */
  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#limit)
      throw new SrvError('invalid', `what the query names has more than ${this.#limit} bytes (sql_engine.disk_bytes); name fewer objects`);
  }
}

/** By which the engine knows formats and compression. */
function endingOf(path: string): string {
  if (tableFormatOf(path) === undefined) return '';
  const last = extensionOf(path);
  return last === 'gz' || last === 'zst' ? `.${extensionOf(path.slice(0, -last.length - 1))}.${last}` : `.${last}`;
}
