/** A stand-in for the AWS Glue catalog, by its JSON protocol. */
import { text } from 'node:stream/consumers';
import { GlueCatalog, GlueRefusal } from './glue-catalog.js';
import { ScriptedHttp } from './scripted-http.js';
import type { GlueBody, GlueTable } from './glue-catalog.js';

export type { GlueTable } from './glue-catalog.js';

export interface GlueServer {
  readonly url: string;
  /** Only requests signed with this key are answered; the signature itself is not checked. */
  readonly accessKeyId: string;
  /** Names of the operations called, in order. */
  readonly calls: readonly string[];
  table(database: string, name: string): GlueTable | undefined;
  partitions(database: string, name: string): readonly GlueBody[];
  databases(): readonly string[];
  close(): Promise<void>;
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
  const answer = async (headers: Readonly<Record<string, unknown>>, sent: Promise<string>): Promise<{ status: number; body: GlueBody }> => {
    const operation = String(headers['x-amz-target']).replace('AWSGlue.', '');
    const body = JSON.parse(await sent) as GlueBody;
    try {
      if (!String(headers['authorization']).includes(`Credential=${accessKeyId}/`))
        throw new GlueRefusal('UnrecognizedClientException', 'The security token included in the request is invalid.');
      calls.push(operation);
      return { status: 200, body: catalog.call(operation, body) };
    } catch (error) {
      if (!(error instanceof GlueRefusal)) throw error;
      return { status: 400, body: { __type: error.type, Message: error.message } };
    }
  };
  return {
    url: server.url,
    accessKeyId,
    calls,
    table: (database, name) => catalog.table(database, name),
    partitions: (database, name) => catalog.partitions(database, name),
    databases: () => catalog.databases(),
    close: () => server.close(),
  };
}
