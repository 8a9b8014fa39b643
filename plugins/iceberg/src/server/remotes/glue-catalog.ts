/** The catalog of AWS Glue: a table of Iceberg is a table there whose parameters name the metadata file. */
import { SrvError, messageOf } from '@srv/kernel';
import { isObject, plainText } from '../exact-json.js';
import type { GlueClient, TableInput } from '@aws-sdk/client-glue';
import type { GlueRemote } from '../../remote-list.js';
import type { TableMetadata } from '../metadata/model.js';
import type { RemoteCatalog, RemoteRegistration, RemoteTable } from './remote-catalog.js';

type Sdk = typeof import('@aws-sdk/client-glue');

export class GlueCatalog implements RemoteCatalog {
  readonly #remote: GlueRemote;
  readonly #catalog: { readonly CatalogId?: string };

  constructor(remote: GlueRemote) {
    this.#remote = remote;
    this.#catalog = remote.catalogId === '' ? {} : { CatalogId: remote.catalogId };
  }

  locationOf({ namespace, table }: RemoteTable): Promise<string> {
    return this.#with(async (client, { GetTableCommand }) => {
      const { Table } = await client.send(new GetTableCommand({ ...this.#catalog, DatabaseName: databaseOf(namespace), Name: table }));
      const location = Table?.Parameters?.['metadata_location'];
      if (location === undefined)
        throw new SrvError('invalid', `${[...namespace, table].join('.')} in catalog ${this.#remote.id} is not a table of Iceberg`);
      return location;
    });
  }

  register({ namespace, table, location, metadata, force, createsNamespace }: RemoteRegistration): Promise<void> {
    const DatabaseName = databaseOf(namespace);
    return this.#with(async (client, { CreateDatabaseCommand, CreateTableCommand, GetTableCommand, UpdateTableCommand }) => {
      const missing = (error: unknown): undefined => ignore(error, 'EntityNotFoundException');
      if (createsNamespace)
        await client
          .send(new CreateDatabaseCommand({ ...this.#catalog, DatabaseInput: { Name: DatabaseName } }))
          .catch((error: unknown) => ignore(error, 'AlreadyExistsException'));
      const known = force
        ? await client.send(new GetTableCommand({ ...this.#catalog, DatabaseName, Name: table })).catch(missing)
        : undefined;
      const previous = known?.Table?.Parameters?.['metadata_location'];
      const TableInput = tableInput(table, location, metadata, previous);
      if (!known) return void (await client.send(new CreateTableCommand({ ...this.#catalog, DatabaseName, TableInput })));
      // Fails where others changed the table meanwhile.
      const VersionId = known.Table?.VersionId;
      await client.send(new UpdateTableCommand({ ...this.#catalog, DatabaseName, TableInput, SkipArchive: true, VersionId }));
    });
  }

  async #with<T>(work: (client: GlueClient, sdk: Sdk) => Promise<T>): Promise<T> {
    const { id, region, endpoint, accessKeyId, secretAccessKey } = this.#remote;
    // Otherwise the library warns about releases of Node.
    process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
    const sdk = await import('@aws-sdk/client-glue');
    const client = new sdk.GlueClient({
      region,
      ...(endpoint === '' ? {} : { endpoint }),
      ...(accessKeyId === '' ? {} : { credentials: { accessKeyId, secretAccessKey } }),
    });
    try {
      return await work(client, sdk);
    } catch (error) {
      if (error instanceof SrvError) throw error;
      const { name } = error as Error;
      const code = name === 'EntityNotFoundException' ? 'not_found' : name === 'AlreadyExistsException' ? 'not_unique' : 'invalid';
      throw new SrvError(code, `catalog ${id} (Glue): ${messageOf(error)}`, { cause: error });
    } finally {
      client.destroy();
    }
  }
}

function ignore(error: unknown, name: string): undefined {
  if ((error as Error).name !== name) throw error;
}

/** Glue has one level of databases. */
function databaseOf(namespace: readonly string[]): string {
  const [database, ...more] = namespace;
  if (database === undefined || more.length > 0)
    throw new SrvError('invalid', `${namespace.join('.')} is not a database of Glue, which has no namespaces inside of others`);
  return database;
}

function tableInput(name: string, location: string, metadata: TableMetadata, previous: string | undefined): TableInput {
  const schema = metadata.schemas.find(known => known['schema-id'] === metadata['current-schema-id']);
  const columns = (schema?.fields ?? []).map(field => ({ Name: plainText(field['name']), Type: hiveType(field['type']) }));
  return {
    Name: name,
    TableType: 'EXTERNAL_TABLE',
    Parameters: {
      table_type: 'ICEBERG',
      metadata_location: location,
      ...(previous === undefined ? {} : { previous_metadata_location: previous }),
    },
    StorageDescriptor: { Location: metadata.location, Columns: columns },
  };
}

const hiveTypes: Readonly<Record<string, string>> = {
  long: 'bigint',
  time: 'string',
  timestamptz: 'timestamp',
  timestamp_ns: 'timestamp',
  timestamptz_ns: 'timestamp',
  uuid: 'string',
};

/** A type as Hive and Glue write it. */
function hiveType(type: unknown): string {
  if (!isObject(type)) {
    const text = plainText(type);
    return text.startsWith('fixed') ? 'binary' : (hiveTypes[text] ?? text);
  }
  if (type['type'] === 'list') return `array<${hiveType(type['element'])}>`;
  if (type['type'] === 'map') return `map<${hiveType(type['key'])},${hiveType(type['value'])}>`;
  const fields = Array.isArray(type['fields']) ? type['fields'].filter(isObject) : [];
  return `struct<${fields.map(field => `${plainText(field['name'])}:${hiveType(field['type'])}`).join(',')}>`;
}
