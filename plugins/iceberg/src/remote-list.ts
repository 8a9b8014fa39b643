/** The list `iceberg_catalog.remotes`: other catalogs, which tables are pushed to and pulled from. */
import { isHttpAddress } from '@srv/kernel';

export interface RestRemote {
  readonly id: string;
  readonly type: 'rest';
  /** Address of the catalog, without `/v1`. */
  readonly uri: string;
  /** `<id>:<secret>`; empty: none. */
  readonly credential: string;
  /** Empty: that of the catalog. */
  readonly tokenUri: string;
  readonly scope: string;
  readonly warehouse: string;
}

export interface GlueRemote {
  readonly id: string;
  readonly type: 'glue';
  readonly region: string;
  /** Empty: credentials as other programs for AWS find them. */
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Empty: that of AWS. */
  readonly endpoint: string;
  /** Empty: that of the account. */
  readonly catalogId: string;
}

export type ConfiguredRemote = RestRemote | GlueRemote;

type Fields = Readonly<Record<string, unknown>>;

/** @throws Error that says what is allowed. Values are never shown: they may be secrets. */
export function decodeRemotes(raw: unknown): readonly ConfiguredRemote[] {
  const list = typeof raw === 'string' ? parsed(raw) : raw;
  if (!Array.isArray(list)) throw new Error('a list of catalogs');
  const remotes = list.map(decodeRemote);
  for (const [at, { id }] of remotes.entries())
    if (remotes.findIndex(other => other.id === id) !== at) throw new Error(`ids that differ; ${JSON.stringify(id)} is there twice`);
  return remotes;
}

function parsed(raw: string): unknown {
  if (raw.trim() === '') return [];
  try {
    return JSON.parse(raw);
  } catch {
    // The message of the parser would quote what may be a secret.
    throw new Error('a JSON list of catalogs');
  }
}

function decodeRemote(raw: unknown, at: number): ConfiguredRemote {
  if (!isFields(raw)) throw new Error(`a map of settings as catalog ${at + 1} of the list`);
  const { id, type } = raw;
  if (typeof id !== 'string' || !/^[A-Za-z0-9._-]{1,64}$/.test(id))
    throw new Error(`an id of up to 64 letters, digits, dots, dashes and underscores for catalog ${at + 1} of the list`);
  if (type !== 'rest' && type !== 'glue') throw new Error(`rest or glue as type of catalog ${id}`);
  const other = Object.keys(raw).find(name => !['id', 'type', type].includes(name));
  if (other !== undefined) throw new Error(`id, type, ${type} for catalog ${id}; not ${JSON.stringify(other)}`);
  const section = raw[type] ?? {};
  if (!isFields(section)) throw new Error(`a map of settings as ${type} of catalog ${id}`);
  return type === 'rest' ? decodeRest(id, section) : decodeGlue(id, section);
}

function decodeRest(id: string, section: Fields): RestRemote {
  const settings = texts(id, section, ['uri', 'credential', 'oauth_server_uri', 'oauth_scope', 'warehouse']);
  const [uri = '', credential = '', tokenUri = '', scope = '', warehouse = ''] = settings;
  for (const address of [uri, ...(tokenUri === '' ? [] : [tokenUri])])
    if (!isHttpAddress(address))
      throw new Error(
        `addresses that begin with http:// or https://, without user and password, as uri and oauth_server_uri of catalog ${id}`,
      );
  if (credential !== '' && !credential.includes(':')) throw new Error(`<client id>:<client secret> as credential of catalog ${id}`);
  return { id, type: 'rest', uri, credential, tokenUri, scope: scope === '' ? 'catalog' : scope, warehouse };
}

function decodeGlue(id: string, section: Fields): GlueRemote {
  const settings = texts(id, section, ['region', 'access_key_id', 'secret_access_key', 'endpoint', 'catalog_id']);
  const [region = '', accessKeyId = '', secretAccessKey = '', endpoint = '', catalogId = ''] = settings;
  if (region === '') throw new Error(`a region for catalog ${id}`);
  if ((accessKeyId === '') !== (secretAccessKey === ''))
    throw new Error(`both access_key_id and secret_access_key for catalog ${id}, or none`);
  if (endpoint !== '' && !isHttpAddress(endpoint))
    throw new Error(`an address that begins with http:// or https://, without user and password, as endpoint of catalog ${id}`);
  return { id, type: 'glue', region, accessKeyId, secretAccessKey, endpoint, catalogId };
}

function texts(id: string, section: Fields, names: readonly string[]): string[] {
  const other = Object.keys(section).find(name => !names.includes(name));
  if (other !== undefined) throw new Error(`${names.join(', ')} for catalog ${id}; not ${JSON.stringify(other)}`);
  return names.map(name => {
    const value = section[name] ?? '';
    if (typeof value !== 'string') throw new Error(`a text as ${name} of catalog ${id}`);
    return value;
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
