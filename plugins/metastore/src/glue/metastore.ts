/** The catalog of AWS Glue. */
import {
  BatchCreatePartitionCommand,
  CreateDatabaseCommand,
  CreateTableCommand,
  DeletePartitionCommand,
  GetDatabaseCommand,
  GetPartitionCommand,
  GetTableCommand,
  GlueClient,
  UpdatePartitionCommand,
  UpdateTableCommand,
  paginateGetDatabases,
  paginateGetPartitions,
  paginateGetTables,
} from '@aws-sdk/client-glue';
import { messageOf } from '@srv/kernel';
import { MetastoreError, batches } from '../metastore.js';
import { databaseInput, databaseOf, partitionInput, partitionOf, tableInput, tableOf } from './convert.js';
import type { GlueClientConfig } from '@aws-sdk/client-glue';
import type { RE2JS } from 're2js';
import type { Metastore } from '../metastore.js';
import type { Database, Partition, Table } from '../tables.js';

/** Items of a page; partitions that one request creates. */
const pageSize = 1000;
const tablePageSize = 100;
const batchSize = 100;

export interface GlueOptions {
  /** Empty: the catalog of the account. */
  readonly catalogId: string;
  readonly client: GlueClientConfig;
  readonly signal: AbortSignal;
}

export class GlueMetastore implements Metastore {
  readonly type = 'glue';
  readonly #client: GlueClient;
  readonly #catalog: { readonly CatalogId?: string };
  readonly #signal: AbortSignal;

  constructor({ catalogId, client, signal }: GlueOptions) {
    // Otherwise the library warns about releases of Node in the middle of the output.
    process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
    this.#client = new GlueClient(client);
    this.#catalog = catalogId === '' ? {} : { CatalogId: catalogId };
    this.#signal = signal;
  }

  async getTable(database: string, table: string): Promise<Table | undefined> {
    const found = await this.#found(
      this.#client.send(new GetTableCommand({ ...this.#catalog, DatabaseName: database, Name: table }), this.#options()),
    );
    return found?.Table && tableOf(found.Table);
  }

  async createTable(table: Table): Promise<void> {
    const input = { ...this.#catalog, DatabaseName: table.dbName, TableInput: tableInput(table) };
    await refusals(this.#client.send(new CreateTableCommand(input), this.#options()));
  }

  async alterTable(table: Table): Promise<void> {
    const input = { ...this.#catalog, DatabaseName: table.dbName, TableInput: tableInput(table), SkipArchive: false };
    await refusals(this.#client.send(new UpdateTableCommand(input), this.#options()));
  }

  async listTables(database: string, pattern: string): Promise<readonly string[]> {
    const pages = paginateGetTables(
      { client: this.#client, pageSize: tablePageSize },
      { ...this.#catalog, DatabaseName: database, Expression: pattern },
      this.#options(),
    );
    const names: string[] = [];
    for await (const { TableList = [] } of pages) for (const { Name } of TableList) if (Name !== undefined) names.push(Name);
    return names;
  }

  async *partitions(database: string, table: string): AsyncGenerator<readonly Partition[]> {
    const pages = paginateGetPartitions(
      { client: this.#client, pageSize },
      { ...this.#catalog, DatabaseName: database, TableName: table },
      this.#options(),
    );
    for await (const { Partitions = [] } of pages) yield Partitions.map(partitionOf);
  }

  async getPartition(database: string, table: string, values: readonly string[]): Promise<Partition | undefined> {
    const input = { ...this.#catalog, DatabaseName: database, TableName: table, PartitionValues: [...values] };
    const found = await this.#found(this.#client.send(new GetPartitionCommand(input), this.#options()));
    return found?.Partition && partitionOf(found.Partition);
  }

  async addPartitions(partitions: readonly Partition[]): Promise<void> {
    for (const batch of batches(partitions, batchSize)) {
      const [{ dbName, tableName } = {}] = batch;
      const input = { ...this.#catalog, DatabaseName: dbName, TableName: tableName, PartitionInputList: batch.map(partitionInput) };
      const { Errors: [first] = [] } = await refusals(this.#client.send(new BatchCreatePartitionCommand(input), this.#options()));
      if (!first) continue;
      const { ErrorCode = '', ErrorMessage = '' } = first.ErrorDetail ?? {};
      const kind = ErrorCode.startsWith('AlreadyExists') ? 'exists' : 'other';
      throw new MetastoreError(kind, `partition ${first.PartitionValues?.join(', ') ?? ''}: ${ErrorCode} ${ErrorMessage}`.trimEnd());
    }
  }

  /** The service takes one at a time. */
  async alterPartitions(partitions: readonly Partition[]): Promise<void> {
    for (const partition of partitions) {
      const { dbName: DatabaseName, tableName: TableName, values = [] } = partition;
      const input = {
        ...this.#catalog,
        DatabaseName,
        TableName,
        PartitionValueList: [...values],
        PartitionInput: partitionInput(partition),
      };
      await refusals(this.#client.send(new UpdatePartitionCommand(input), this.#options()));
    }
  }

  async dropPartition(database: string, table: string, values: readonly string[]): Promise<void> {
    const input = { ...this.#catalog, DatabaseName: database, TableName: table, PartitionValues: [...values] };
    await refusals(this.#client.send(new DeletePartitionCommand(input), this.#options()));
  }

  async getDatabase(name: string): Promise<Database | undefined> {
    const found = await this.#found(this.#client.send(new GetDatabaseCommand({ ...this.#catalog, Name: name }), this.#options()));
    return found?.Database && databaseOf(found.Database);
  }

  /** The service knows no pattern here. @throws Error for one that is not a regular expression. */
  async listDatabases(pattern: string): Promise<readonly string[]> {
    const wanted = await regularExpression(pattern);
    const names: string[] = [];
    const pages = paginateGetDatabases({ client: this.#client, pageSize: tablePageSize }, this.#catalog, this.#options());
    for await (const { DatabaseList = [] } of pages)
      for (const { Name } of DatabaseList) if (Name !== undefined && wanted.matches(Name)) names.push(Name);
    return names;
  }

  async createDatabase(database: Database): Promise<void> {
    await refusals(
      this.#client.send(new CreateDatabaseCommand({ ...this.#catalog, DatabaseInput: databaseInput(database) }), this.#options()),
    );
  }

  close(): void {
    this.#client.destroy();
  }

  #options() {
    return { abortSignal: this.#signal };
  }

  async #found<T>(answer: Promise<T>): Promise<T | undefined> {
    try {
      return await refusals(answer);
    } catch (error) {
      if (error instanceof MetastoreError && error.kind === 'missing') return undefined;
      throw error;
    }
  }
}

/** Of RE2, whose time grows with the text and not with its square. It must match the whole name. */
async function regularExpression(pattern: string): Promise<RE2JS> {
  const { RE2JS: engine } = await import('re2js');
  try {
    return engine.compile(pattern);
  } catch (error) {
    throw new Error(`the pattern "${pattern}" is not a regular expression: ${messageOf(error)}`, { cause: error });
  }
}

async function refusals<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const { name } = error as Error;
    if (name === 'AlreadyExistsException') throw new MetastoreError('exists', messageOf(error), { cause: error });
    if (name === 'EntityNotFoundException') throw new MetastoreError('missing', messageOf(error), { cause: error });
    throw error;
  }
}
