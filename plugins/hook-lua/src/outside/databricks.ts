/** Databricks: schemas of the Unity catalog, and SQL statements in a warehouse. */

import { setTimeout as pause } from 'node:timers/promises';
import got, { HTTPError } from 'got';
import type { Input, OutsideService } from './protocol.js';

/** Milliseconds between two polls of a running statement, and for one request. */
const between = 1000;
const timeout = 60_000;

interface StatementResponse {
  readonly statement_id?: string;
  readonly status?: { readonly state?: string; readonly error?: { readonly message?: string } };
}

function call<T>(input: Input, method: 'GET' | 'POST', path: string, body?: Readonly<Record<string, unknown>>): Promise<T> {
  const host = input.text('host');
  const base = host.includes('://') ? host : `https://${host}`;
  return got(`${base.replace(/(?<!\/)\/+$/, '')}${path}`, {
    method,
    headers: { authorization: `Bearer ${input.text('token')}` },
    retry: { limit: 0 },
    timeout: { request: timeout },
    followRedirect: false,
    ...(body === undefined ? {} : { json: body }),
  })
    .json<T>()
    .catch((error: unknown) => {
      throw described(error);
    });
}

/** A refusal with the code and the text of the service. */
class Refusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

function described(error: unknown): unknown {
  if (!(error instanceof HTTPError)) return error;
  const { statusCode, body } = error.response;
  try {
    const { error_code = '', message = '' } = JSON.parse(String(body)) as { readonly error_code?: string; readonly message?: string };
    return new Refusal(error_code, `HTTP ${statusCode} ${error_code}: ${message}`);
  } catch {
    return new Refusal('', `HTTP ${statusCode} from Databricks`);
  }
}

/** Runs a statement to its end. @returns its state. @throws Error with the service's message when it failed. */
async function run(input: Input, statement: string, place: { readonly catalog: string; readonly schema: string }): Promise<string> {
  const path = '/api/2.0/sql/statements';
  let answer = await call<StatementResponse>(input, 'POST', path, { warehouse_id: input.text('warehouse'), statement, ...place });
  while (['PENDING', 'RUNNING'].includes(answer.status?.state ?? '')) {
    await pause(between);
    answer = await call<StatementResponse>(input, 'GET', `${path}/${encodeURIComponent(answer.statement_id ?? '')}`);
  }
  const state = answer.status?.state ?? 'UNKNOWN';
  if (state !== 'SUCCEEDED') throw new Error(`statement ${state}: ${answer.status?.error?.message ?? 'the service gave no reason'}`);
  return state;
}

const quoted = (name: string): string => `\`${name.replaceAll('`', '``')}\``;
const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const databricks: OutsideService = {
  async createSchema(input) {
    const [name, catalog] = [input.text('schema'), input.text('catalog')];
    const schemas = '/api/2.1/unity-catalog/schemas';
    try {
      const made = await call<{ readonly name?: string }>(input, 'POST', schemas, { name, catalog_name: catalog });
      return made.name ?? name;
    } catch (error) {
      if (!(error instanceof Refusal && /ALREADY_EXISTS/.test(error.code)) || !input.flag('getIfExists', false)) throw error;
      const found = await call<{ readonly name?: string }>(input, 'GET', `${schemas}/${encodeURIComponent(`${catalog}.${name}`)}`);
      return found.name ?? name;
    }
  },
  async registerExternalTable(input) {
    const name = input.text('table').replaceAll('-', '_');
    if (!/^\w{1,255}$/.test(name))
      throw new Error(`invalid table name ${JSON.stringify(name)}: at most 255 letters, digits and underscores`);
    const location = input.text('location');
    if (!URL.canParse(location)) throw new Error(`the location ${JSON.stringify(location)} is not a URL`);
    const place = { catalog: input.text('catalog'), schema: input.text('schema') };
    const comment = input.optional('description');
    const statement = `CREATE EXTERNAL TABLE ${quoted(name)} LOCATION ${literal(location)}${comment === undefined ? '' : ` COMMENT ${literal(comment)}`}`;
    try {
      return await run(input, statement, place);
    } catch (error) {
      if (!/already ?_?exists/i.test(error instanceof Error ? error.message : '')) throw error;
      await run(input, `DROP TABLE ${quoted(name)}`, place);
      return run(input, statement, place);
    }
  },
  executeStatement: input => run(input, input.text('statement'), { catalog: input.text('catalog'), schema: input.text('schema') }),
};

export default databricks;
