/** The Glue catalog with the credentials a script gives. JSON has the names of its API. */
import {
  AlreadyExistsException,
  CreateDatabaseCommand,
  CreateTableCommand,
  DeleteDatabaseCommand,
  DeleteTableCommand,
  EntityNotFoundException,
  GetTableCommand,
  GlueClient,
  UpdateTableCommand,
} from '@aws-sdk/client-glue';
import { awsClients } from './aws-clients.js';
import type { DatabaseInput, TableInput } from '@aws-sdk/client-glue';
import type { Input, OutsideService } from './protocol.js';

const clientOf = awsClients(settings => new GlueClient(settings));

const catalogOf = (input: Input): { readonly CatalogId?: string } => {
  const CatalogId = input.optional('catalog');
  return CatalogId === undefined ? {} : { CatalogId };
};
const tableOf = (input: Input) => ({ DatabaseName: input.text('database'), Name: input.text('table'), ...catalogOf(input) });
/** Checked by the service, whose refusals say more than ours would. */
const tableInput = (input: Input): TableInput => input.json('json') as Partial<TableInput> as TableInput;

const glue: OutsideService = {
  async getTable(input) {
    try {
      const { Table } = await clientOf(input).send(new GetTableCommand(tableOf(input)));
      // Dates become text on the way.
      return JSON.parse(JSON.stringify({ Table })) as unknown;
    } catch (error) {
      if (error instanceof EntityNotFoundException) return undefined;
      throw error;
    }
  },
  async createTable(input) {
    await clientOf(input).send(
      new CreateTableCommand({ DatabaseName: input.text('database'), TableInput: tableInput(input), ...catalogOf(input) }),
    );
  },
  async updateTable(input) {
    const VersionId = input.optional('version');
    await clientOf(input).send(
      new UpdateTableCommand({
        DatabaseName: input.text('database'),
        TableInput: tableInput(input),
        SkipArchive: input.flag('skipArchive', false),
        VersionId,
        ...catalogOf(input),
      }),
    );
  },
  async deleteTable(input) {
    await clientOf(input).send(new DeleteTableCommand(tableOf(input)));
  },
  async createDatabase(input) {
    const Name = input.text('database');
    const more: Partial<DatabaseInput> & { readonly CatalogId?: string } = input.has('json') ? input.json('json') : {};
    if (more.Name !== undefined && more.Name !== Name)
      throw new Error(
        `create_db_input names the database ${JSON.stringify(more.Name)}, but the call names ${JSON.stringify(Name)}: use one name`,
      );
    try {
      await clientOf(input).send(new CreateDatabaseCommand({ DatabaseInput: { ...more, Name } }));
    } catch (error) {
      if (!(error instanceof AlreadyExistsException) || input.flag('errorOnExists', true)) throw error;
    }
  },
  async deleteDatabase(input) {
    await clientOf(input).send(new DeleteDatabaseCommand({ Name: input.text('database'), ...catalogOf(input) }));
  },
};

export default glue;
