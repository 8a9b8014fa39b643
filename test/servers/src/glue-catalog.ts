/** The catalog of the fake Glue: databases, tables and partitions in memory. */

/** As the service calls them. */
export interface GlueTable {
  readonly Name: string;
  readonly [field: string]: unknown;
}

export type GlueBody = Readonly<Record<string, unknown>>;

/** An answer that is an error of the service. */
export class GlueRefusal extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

interface StoredTable {
  table: GlueTable;
  /** By their values. */
  readonly partitions: Map<string, GlueBody>;
}

interface StoredDatabase {
  readonly facts: GlueBody;
  readonly tables: Map<string, StoredTable>;
}

/** Partitions that one request may create. */
const mostAtOnce = 100;

export class GlueCatalog {
  readonly #databases = new Map<string, StoredDatabase>();
  readonly #operations: Readonly<Record<string, (body: GlueBody) => GlueBody>> = {
    CreateDatabase: body => this.#createDatabase(body),
    DeleteDatabase: ({ Name }) => {
      this.#database(Name);
      this.#databases.delete(String(Name));
      return {};
    },
    GetDatabase: ({ Name }) => ({ Database: this.#database(Name).facts }),
    GetDatabases: body =>
      paged(
        'DatabaseList',
        [...this.#databases.values()].map(({ facts }) => facts),
        body,
      ),
    CreateTable: body => this.#put(body, false),
    UpdateTable: body => this.#put(body, true),
    GetTable: body => ({ Table: this.#table(body['DatabaseName'], body['Name']).table }),
    GetTables: body => this.#getTables(body),
    DeleteTable: ({ DatabaseName, Name }) => {
      this.#table(DatabaseName, Name);
      this.#database(DatabaseName).tables.delete(String(Name));
      return {};
    },
    GetPartitions: body => paged('Partitions', [...this.#partitions(body).values()], body),
    GetPartition: body => ({ Partition: this.#partition(body, body['PartitionValues']) }),
    BatchCreatePartition: body => this.#createPartitions(body),
    UpdatePartition: body => {
      this.#partition(body, body['PartitionValueList']);
      this.#putPartition(body, body['PartitionInput'] as GlueBody);
      return {};
    },
    DeletePartition: body => {
      this.#partition(body, body['PartitionValues']);
      this.#partitions(body).delete(JSON.stringify(body['PartitionValues']));
      return {};
    },
  };

  /** @throws GlueRefusal */
  call(operation: string, body: GlueBody): GlueBody {
    const work = this.#operations[operation];
    if (!work) throw new GlueRefusal('InvalidInputException', `unknown operation ${operation}`);
    return work(body);
  }

  databases(): readonly string[] {
    return [...this.#databases.keys()];
  }

  table(database: string, name: string): GlueTable | undefined {
    return this.#databases.get(database)?.tables.get(name)?.table;
  }

  partitions(database: string, name: string): readonly GlueBody[] {
    return [...(this.#databases.get(database)?.tables.get(name)?.partitions.values() ?? [])];
  }

  #createDatabase(body: GlueBody): GlueBody {
    const input = body['DatabaseInput'] as GlueBody;
    const name = String(input['Name']);
    if (this.#databases.has(name)) throw new GlueRefusal('AlreadyExistsException', `Database already exists: ${name}`);
    if (input['LocationUri'] === '') throw new GlueRefusal('InvalidInputException', 'LocationUri must have at least 1 character');
    this.#databases.set(name, { facts: { ...input }, tables: new Map() });
    return {};
  }

  #database(name: unknown): StoredDatabase {
    const found = this.#databases.get(String(name));
    if (!found) throw new GlueRefusal('EntityNotFoundException', `Database ${String(name)} not found.`);
    return found;
  }

  #table(database: unknown, name: unknown): StoredTable {
    const found = this.#database(database).tables.get(String(name));
    if (!found) throw new GlueRefusal('EntityNotFoundException', `Entity Not Found: Table ${String(name)}`);
    return found;
  }

  #partitions({ DatabaseName, TableName }: GlueBody): Map<string, GlueBody> {
    return this.#table(DatabaseName, TableName).partitions;
  }

  #partition(body: GlueBody, values: unknown): GlueBody {
    const found = this.#partitions(body).get(JSON.stringify(values));
    if (!found) throw new GlueRefusal('EntityNotFoundException', `Cannot find partition ${JSON.stringify(values)}.`);
    return found;
  }

  #getTables(body: GlueBody): GlueBody {
    const wanted = new RegExp(`^(?:${String(body['Expression'] ?? '.*')})$`);
    const tables = [...this.#database(body['DatabaseName']).tables.values()].map(({ table }) => table);
    return paged(
      'TableList',
      tables.filter(({ Name }) => wanted.test(Name)),
      body,
    );
  }

  #put(body: GlueBody, exists: boolean): GlueBody {
    const input = body['TableInput'] as GlueTable;
    const { tables } = this.#database(body['DatabaseName']);
    const known = tables.get(input.Name);
    if ((known !== undefined) !== exists) {
      throw exists
        ? new GlueRefusal('EntityNotFoundException', `Entity Not Found: Table ${input.Name}`)
        : new GlueRefusal('AlreadyExistsException', `Table already exists: ${input.Name}`);
    }
    const serde = (input['StorageDescriptor'] as GlueBody | undefined)?.['SerdeInfo'] as GlueBody | undefined;
    if (serde?.['Name'] === '') throw new GlueRefusal('InvalidInputException', 'SerdeInfo.Name must have at least 1 character');
    const table = { ...input, DatabaseName: body['DatabaseName'], CreateTime: 1_700_000_000, VersionId: exists ? '1' : '0' };
    tables.set(input.Name, { table, partitions: known?.partitions ?? new Map() });
    return {};
  }

  #createPartitions(body: GlueBody): GlueBody {
    const inputs = body['PartitionInputList'] as readonly GlueBody[];
    if (inputs.length > mostAtOnce) throw new GlueRefusal('ValidationException', `at most ${mostAtOnce} partitions at a time`);
    const errors: GlueBody[] = [];
    for (const input of inputs) {
      if (!this.#partitions(body).has(JSON.stringify(input['Values']))) this.#putPartition(body, input);
      else {
        const detail = { ErrorCode: 'AlreadyExistsException', ErrorMessage: 'Partition already exists.' };
        errors.push({ PartitionValues: input['Values'], ErrorDetail: detail });
      }
    }
    return { Errors: errors };
  }

  #putPartition(body: GlueBody, input: GlueBody): void {
    const { DatabaseName, TableName } = body;
    this.#partitions(body).set(JSON.stringify(input['Values']), { ...input, DatabaseName, TableName, CreationTime: 1_700_000_000 });
  }
}

/** One page of a list; the token is the number of items before it. */
function paged(name: string, items: readonly unknown[], { MaxResults, NextToken }: GlueBody): GlueBody {
  const start = Number(NextToken ?? 0);
  const end = start + Number(MaxResults ?? 100);
  return { [name]: items.slice(start, end), ...(end < items.length ? { NextToken: String(end) } : {}) };
}
