/** The part of the AWS Glue catalog that table exports use: databases and tables in memory, by its JSON protocol. */
import { text } from 'node:stream/consumers';
import { ScriptedHttp } from './scripted-http.js';

/** As the service calls them. */
export interface GlueTable {
  readonly Name: string;
  readonly [field: string]: unknown;
}

export interface GlueServer {
  readonly url: string;
  /** Only requests signed with this key are answered; the signature itself is not checked. */
  readonly accessKeyId: string;
  /** Names of the operations called, in order. */
  readonly calls: readonly string[];
  table(database: string, name: string): GlueTable | undefined;
  databases(): readonly string[];
  close(): Promise<void>;
}

type Body = Readonly<Record<string, unknown>>;

/** An answer that is an error of the service. */
class Refusal extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

export async function startGlue(accessKeyId = 'AKIAGLUE'): Promise<GlueServer> {
  const catalog = new GlueCatalog();
  const calls: string[] = [];
  const server = await ScriptedHttp.open((request, response) => {
    void answer(request.headers, text(request)).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify(body));
    });
  });
  const answer = async (headers: Readonly<Record<string, unknown>>, sent: Promise<string>): Promise<{ status: number; body: Body }> => {
    const operation = String(headers['x-amz-target']).replace('AWSGlue.', '');
    const body = JSON.parse(await sent) as Body;
    try {
      if (!String(headers['authorization']).includes(`Credential=${accessKeyId}/`))
        throw new Refusal('UnrecognizedClientException', 'The security token included in the request is invalid.');
      calls.push(operation);
      return { status: 200, body: catalog.call(operation, body) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: 400, body: { __type: error.type, Message: error.message } };
    }
  };
  return {
    url: server.url,
    accessKeyId,
    calls,
    table: (database, name) => catalog.tables.get(database)?.get(name),
    databases: () => [...catalog.tables.keys()],
    close: () => server.close(),
  };
}

class GlueCatalog {
  /** Tables by database. */
  readonly tables = new Map<string, Map<string, GlueTable>>();

  call(operation: string, body: Body): Body {
    switch (operation) {
      case 'CreateDatabase':
        return this.#createDatabase(String((body['DatabaseInput'] as Body)['Name']));
      case 'DeleteDatabase':
        this.#database(body['Name']);
        this.tables.delete(String(body['Name']));
        return {};
      case 'CreateTable':
        return this.#put(body, false);
      case 'UpdateTable':
        return this.#put(body, true);
      case 'GetTable': {
        return { Table: this.#table(body) };
      }
      case 'DeleteTable':
        this.#table(body);
        this.#database(body['DatabaseName']).delete(String(body['Name']));
        return {};
      default:
        throw new Refusal('InvalidInputException', `unknown operation ${operation}`);
    }
  }

  #createDatabase(name: string): Body {
    if (this.tables.has(name)) throw new Refusal('AlreadyExistsException', `Database already exists: ${name}`);
    this.tables.set(name, new Map());
    return {};
  }

  #database(name: unknown): Map<string, GlueTable> {
    const found = this.tables.get(String(name));
    if (!found) throw new Refusal('EntityNotFoundException', `Database ${String(name)} not found.`);
    return found;
  }

  #table(body: Body): GlueTable {
    const found = this.#database(body['DatabaseName']).get(String(body['Name']));
    if (!found) throw new Refusal('EntityNotFoundException', `Entity Not Found: Table ${String(body['Name'])}`);
    return found;
  }

  #put(body: Body, exists: boolean): Body {
    const input = body['TableInput'] as GlueTable;
    const database = this.#database(body['DatabaseName']);
    if (database.has(input.Name) !== exists) {
      throw exists
        ? new Refusal('EntityNotFoundException', `Entity Not Found: Table ${input.Name}`)
        : new Refusal('AlreadyExistsException', `Table already exists: ${input.Name}`);
    }
    database.set(input.Name, { ...input, DatabaseName: body['DatabaseName'], CreateTime: 1_700_000_000, VersionId: exists ? '1' : '0' });
    return {};
  }
}
