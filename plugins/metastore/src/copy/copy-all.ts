/** Copies every database and table that two patterns match. */
import { messageOf } from '@srv/kernel';
import { MetastoreError } from '../metastore.js';
import { copyTable } from './copy-table.js';
import { relocate } from './location.js';
import type { Metastore } from '../metastore.js';
import type { LocationRule } from './location.js';

interface CopyAllOptions {
  readonly schemaFilter: string;
  readonly tableFilter: string;
  readonly rule: LocationRule;
  readonly dbfsRoot: string;
  readonly fixSparkPlaceholder: boolean;
  readonly continueOnError: boolean;
  readonly signal: AbortSignal;
  /** A line for the person, as things happen. */
  readonly tell: (line: string) => void;
}

/** One table, or one database, of the run. */
export interface CopiedTable {
  readonly from: string;
  readonly to: string;
  /** Why it was not copied. */
  readonly error?: string;
}

/** @throws the first failure, unless `continueOnError` is set; then failures are in the result. */
export async function copyAll(from: Metastore, to: Metastore, options: CopyAllOptions): Promise<CopiedTable[]> {
  const done: CopiedTable[] = [];
  const attempt = async (names: CopiedTable, work: () => Promise<unknown>): Promise<boolean> => {
    options.signal.throwIfAborted();
    try {
      await work();
      return true;
    } catch (error) {
      if (!options.continueOnError || options.signal.aborted)
        throw new Error(`${names.from} -> ${names.to}: ${messageOf(error)}`, { cause: error });
      options.tell(`${names.from} -> ${names.to}: ${messageOf(error)}`);
      done.push({ ...names, error: messageOf(error) });
      return false;
    }
  };
  for (const database of await from.listDatabases(options.schemaFilter)) {
    const target = to.type === 'hive' ? database.replaceAll('-', '_') : database;
    let tables: readonly string[] = [];
    const prepared = await attempt({ from: database, to: target }, async () => {
      await createDatabase(from, database, to, target, options);
      tables = await from.listTables(database, options.tableFilter);
    });
    if (!prepared) continue;
    for (const table of tables) {
      const names = { from: `${database}.${table}`, to: `${target}.${table}` };
      options.tell(`table ${names.from} -> ${names.to}`);
      const { rule, dbfsRoot, fixSparkPlaceholder } = options;
      const copied = await attempt(names, () =>
        copyTable(from, { database, table }, to, { database: target, table, serde: table, rule, dbfsRoot, fixSparkPlaceholder }),
      );
      if (copied) done.push(names);
    }
  }
  return done;
}

/** A database that exists is fine. */
async function createDatabase(
  from: Metastore,
  name: string,
  to: Metastore,
  target: string,
  { rule, dbfsRoot }: Pick<CopyAllOptions, 'rule' | 'dbfsRoot'>,
): Promise<void> {
  if (await to.getDatabase(target)) return;
  await copyDatabase({ in: from, name }, { in: to, name: target }, rule, dbfsRoot).catch((error: unknown) => {
    // Another client was faster.
    if (!(error instanceof MetastoreError && error.kind === 'exists')) throw error;
  });
}

/** A database by its name in a metastore. */
interface DatabasePlace {
  readonly in: Metastore;
  readonly name: string;
}

/** @throws MetastoreError of kind `exists`; Error when the source has no such database. */
export async function copyDatabase(from: DatabasePlace, to: DatabasePlace, rule: LocationRule, dbfsRoot: string): Promise<void> {
  const database = await from.in.getDatabase(from.name);
  if (!database) throw new Error(`no database ${from.name} in the source metastore`);
  await to.in.createDatabase({ ...database, name: to.name, locationUri: relocate(database.locationUri ?? '', rule, dbfsRoot) });
}
