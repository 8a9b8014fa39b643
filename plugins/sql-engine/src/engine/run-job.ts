/** Opens the engine with what the query may read, locks it, and writes the result of the query to a file. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@srv/kernel/errors';
import { quotedName, quotedText } from '@srv/lib-records/tables/sql/engine-sql';
import { folders, resultFile } from './job.js';
import { projection } from './projection.js';
import type { DuckDb, DuckDbConnection } from './duckdb.js';
import type { CatalogJobTable, Job, JobAnswer, SystemJobTable } from './job.js';

const copyOptions: Readonly<Record<Job['format'], string>> = {
  parquet: 'FORMAT parquet, COMPRESSION zstd',
  json: 'FORMAT json, ARRAY true',
  csv: 'FORMAT csv, HEADER true',
  text: 'FORMAT json',
  lines: 'FORMAT json',
};

const lostFields =
  'a file of a table has none of the fields that one of its columns has now, which SQL cannot read; write the rows of the table again';

/** @param tablesTaken resolves when the files in Parquet have been taken. @throws Error of the engine, whose message is for the author of the query. */
export async function runJob(job: Job, tablesTaken: () => Promise<void>): Promise<JobAnswer> {
  const { DuckDBInstance, StatementType } = (await import(job.module)) as DuckDb;
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(job.threads),
    memory_limit: `${job.memory}B`,
    temp_directory: join(job.folder, folders.spill),
    max_temp_directory_size: `${job.disk}B`,
    autoload_known_extensions: 'false',
    autoinstall_known_extensions: 'false',
    allow_community_extensions: 'false',
  });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  for (const table of job.tables) {
    const problem = 'query' in table ? await addCatalogTable(connection, table) : await addSystemTable(connection, table);
    if (problem !== undefined) return { kind: 'refused', message: problem };
  }
  if (job.tables.some(table => 'parquet' in table)) await tablesTaken();
  const allowed = [folders.input, folders.output].map(folder => quotedText(join(job.folder, folder, '/')));
  await connection.run(`SET allowed_directories = [${allowed.join(', ')}]`);
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');

  const statements = await connection.extractStatements(job.sql);
  if (statements.count !== 1) return { kind: 'refused', message: `one query can be run at a time, not ${statements.count} statements` };
  // Bound alone first, so that errors show the query and not what stands around it.
  const prepared = await statements.prepare(0);
  if (prepared.statementType !== StatementType.SELECT)
    return { kind: 'refused', message: 'only queries can be run: SELECT, FROM, VALUES, DESCRIBE, SUMMARIZE, WITH … SELECT' };
  if (prepared.parameterCount > 0) return { kind: 'refused', message: 'the query has parameters: write their values' };
  // `query` takes one query and nothing else, whatever its text is.
  const rows = `FROM query(${quotedText(job.sql)}) LIMIT ${job.rows}`;
  // The columns of that: repeated names have got numbers.
  const columns = await (await connection.extractStatements(rows)).prepare(0);
  const copy = `COPY (${projection(columns, job.format)} ${rows}) TO ${quotedText(join(job.folder, resultFile))} (${copyOptions[job.format]})`;
  try {
    return { kind: 'done', rows: (await connection.run(copy)).rowsChanged };
  } catch (error) {
    // The casts of the query itself were bound before; this one is of a file.
    if (!messageOf(error).includes('STRUCT to STRUCT cast must have at least one matching member')) throw error;
    return { kind: 'refused', message: lostFields };
  }
}

/** @returns what is wrong with it. */
async function addCatalogTable(connection: DuckDbConnection, { schema, name, query, files }: CatalogJobTable): Promise<string | undefined> {
  await connection.run(`CREATE SCHEMA ${schema}`);
  if (files.length > 0) {
    const list = `[${files.map(quotedText).join(', ')}]`;
    const found = await connection.runAndReadAll(
      `SELECT file_name FROM parquet_schema(${list}) GROUP BY file_name HAVING count(field_id) = 0 LIMIT 1`,
    );
    const [without] = found.getRows();
    if (without) return `the columns of ${String(without[0])} have no field ids, by which a table finds them; write it again with Iceberg`;
  }
  await connection.run(`CREATE VIEW ${schema}.${quotedName(name)} AS ${query}`);
  return undefined;
}

async function addSystemTable(connection: DuckDbConnection, table: SystemJobTable): Promise<undefined> {
  const { schema, name, file, parquet } = table;
  await connection.run(`CREATE SCHEMA ${schema}`);
  await connection.run(`CREATE VIEW ${schema}.${name} AS ${sourceOf(table)}`);
  if (parquet === undefined) return;
  try {
    await connection.run(`COPY (FROM ${schema}.${name}) TO ${quotedText(parquet)} (FORMAT parquet)`);
  } catch {
    // Writing takes more memory than reading: then the query reads the lines, and the next one, too.
    await rm(parquet, { force: true });
    return;
  }
  await connection.run(`CREATE OR REPLACE VIEW ${schema}.${name} AS ${sourceOf({ ...table, file: parquet, format: 'parquet' })}`);
  await rm(file);
}

function sourceOf({ columns, file, format }: SystemJobTable): string {
  if (format === 'parquet') return `FROM read_parquet(${quotedText(file)})`;
  const all = Object.entries(columns);
  const types = all.map(([name, type]) => `${name}: '${type === 'TIMESTAMP' ? 'BIGINT' : type}'`).join(', ');
  const shown = all.map(([name, type]) => (type === 'TIMESTAMP' ? `epoch_ms(${name}) AS ${name}` : name)).join(', ');
  return `SELECT ${shown} FROM read_json(${quotedText(file)}, format = 'newline_delimited', columns = {${types}})`;
}
