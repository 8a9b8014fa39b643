/** `aws`, `azure`, `gcloud`, `databricks`, `net/http`: what the thread for calls outside carries out. */
import { LuaError, bufferOf, bytesOf, bytesOfBuffer, fromJson, isArray, isTable, table, textOf, toJson } from '../lua-value.js';
import type { Arguments, LuaFunction, LuaModules } from '../arguments.js';
import type { LuaTable, LuaValue } from '../lua-value.js';
import type { OutsideLink } from '../outside-link.js';

type Fields = Readonly<Record<string, unknown>>;

/** Functions of clients have the client's settings as their first argument, which the script does not see. */
export function cloudModules(outside: Pick<OutsideLink, 'call'>): LuaModules {
  /** @param named names of the arguments after the settings. */
  const method = (service: string, name: string, named: (args: Arguments) => Fields, results = nothing): LuaFunction => {
    return args => results(outside.call({ service, method: name, input: { ...settingsOf(args), ...given(named(args)) } }));
  };
  const place = (args: Arguments): Fields => ({ bucket: args.text(2), object: args.text(3) });
  const inDatabase = (args: Arguments): Fields => ({ database: args.text(2), table: args.text(3), catalog: args.optionalText(4) });
  const withTable = (args: Arguments): Fields => ({ database: args.text(2), json: args.text(3), catalog: args.optionalText(4) });
  return {
    s3: {
      get_object: method('s3', 'get', place, found),
      put_object: method('s3', 'put', args => ({ ...place(args), data: new Uint8Array(args.buffer(4)) })),
      delete_object: method('s3', 'delete', place),
      delete_recursive: method('s3', 'deleteRecursive', args => ({ bucket: args.text(2), prefix: args.text(3) })),
      list_objects: method(
        's3',
        'list',
        args => ({
          bucket: args.text(2),
          prefix: args.optionalText(3),
          continuation: args.optionalText(4),
          delimiter: args.optionalText(5) ?? '/',
        }),
        result => [fromJson(result)],
      ),
    },
    glue: {
      get_table: method('glue', 'getTable', inDatabase, result => (result === undefined ? ['', false] : [fromJson(result), true])),
      create_table: method('glue', 'createTable', withTable),
      update_table: method('glue', 'updateTable', args => ({
        ...withTable(args),
        version: args.optionalText(5),
        skipArchive: args.optionalBoolean(6),
      })),
      delete_table: method('glue', 'deleteTable', inDatabase),
      create_database: method('glue', 'createDatabase', args => {
        const options = args.optionalTable(3);
        return {
          database: args.text(2),
          errorOnExists: options?.get('error_on_already_exists') !== false,
          json: options?.get('create_db_input'),
        };
      }),
      delete_database: method('glue', 'deleteDatabase', args => ({ database: args.text(2), catalog: args.optionalText(3) })),
    },
    blob: {
      get_object: method('azure', 'get', args => ({ path: args.text(2) }), found),
      put_object: method('azure', 'put', args => ({ path: args.text(2), data: new Uint8Array(args.buffer(3)) })),
      delete_object: method('azure', 'delete', args => ({ path: args.text(2) })),
    },
    azure: { abfss_transform_path: args => [bytesOf(abfss(args.text(1)))] },
    gs: {
      write_fuse_symlink: method('gcloud', 'writeFuseSymlink', args => {
        const options = args.optionalTable(4);
        return { source: args.text(2), uri: args.text(3), from: textIn(options, 'from'), to: textIn(options, 'to') };
      }),
    },
    databricks_client: {
      create_schema: method(
        'databricks',
        'createSchema',
        args => ({ schema: args.text(2), catalog: args.text(3), getIfExists: args.optionalBoolean(4) ?? false }),
        text,
      ),
      register_external_table: method(
        'databricks',
        'registerExternalTable',
        args => ({
          table: args.text(2),
          location: args.text(3),
          warehouse: args.text(4),
          catalog: args.text(5),
          schema: args.text(6),
          description: textIn(args.optionalTable(7), 'description'),
        }),
        text,
      ),
      execute_statement: method(
        'databricks',
        'executeStatement',
        args => ({ statement: args.text(2), warehouse: args.text(3), catalog: args.text(4), schema: args.text(5) }),
        text,
      ),
    },
  };
}

export function httpModules(outside: Pick<OutsideLink, 'call'>): LuaModules {
  return {
    'net/http': {
      request: args => {
        const result = outside.call({ service: 'http', method: 'request', input: httpRequest(args) }) as {
          readonly status: number;
          readonly statusText: string;
          readonly headers: Readonly<Record<string, readonly string[]>>;
          readonly body: Uint8Array;
        };
        const headers = Object.entries(result.headers).map(
          ([name, values]) => [bytesOf(name), values.length === 1 ? bytesOf(values[0] ?? '') : values.map(bytesOf)] as const,
        );
        return [result.status, bytesOfBuffer(result.body), new Map<string, LuaValue>(headers), bytesOf(result.statusText)];
      },
    },
  };
}

function httpRequest(args: Arguments): Fields {
  const first = args.value(1);
  const asked: LuaTable = isTable(first) ? first : table({ url: args.bytes(1), body: args.value(2) });
  const body = asked.get('body');
  const headers = asked.get('headers');
  return {
    url: textIn(asked, 'url') ?? '',
    method: textIn(asked, 'method') ?? '',
    ...(body === undefined ? {} : { body: new Uint8Array(bufferOf(String(body))) }),
    headers: isTable(headers) ? Object.fromEntries([...headers].map(([name, value]) => [textOf(String(name)), headerValue(value)])) : {},
  };
}

function headerValue(value: LuaValue): string | readonly string[] {
  if (isArray(value)) return value.map(item => textOf(String(item)));
  if (typeof value === 'object') throw new LuaError('a header is a string or an array of strings');
  return textOf(String(value));
}

const nothing = (_result: unknown): readonly LuaValue[] => [];
const text = (result: unknown): readonly LuaValue[] => [bytesOf(String(result))];
const found = (result: unknown): readonly LuaValue[] => (result instanceof Uint8Array ? [bytesOfBuffer(result), true] : ['', false]);

/** Settings of the client. */
function settingsOf(args: Arguments): Fields {
  return toJson(args.table(1)) as Fields;
}

function given(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function textIn(from: LuaTable | undefined, name: string): string | undefined {
  const value = from?.get(name);
  return value === undefined ? undefined : textOf(String(value));
}

/** `https://account.blob.core.windows.net/container/path` as Spark names it. */
function abfss(url: string): string {
  const found = /^https:\/\/([^./]+)\.(?:blob|dfs|adls)\.core\.windows\.net\/([^/]+)(?:\/(.*))?$/s.exec(url);
  if (!found) throw new LuaError(`expected valid Azure https URL: ${url}`);
  const [, account = '', container = '', path = ''] = found;
  return `abfss://${container}@${account}.dfs.core.windows.net/${path}`;
}
