/**
 * Settings of a server on one machine: embedded database, objects in a folder, secrets made at the first run. They are
 * the weakest source: whatever the file, the environment or a flag says wins.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SrvError, isStorageFull, messageOf } from '@srv/kernel';
import { parseDocument, stringify } from 'yaml';
import { generateKeyPair, generateSecret, quickstartKeyPair } from './credentials.js';
import { expandHome } from './file.js';
import { createPrivateFile, replacePrivateFile } from './private-file.js';
import { yamlEntries } from './yaml-entries.js';
import { setYamlValue, yamlValue } from './yaml-value.js';
import type { ConfigEntry, SourceContext } from '@srv/kernel';
import type { LocalSettings } from '../contract.js';
import type { KeyPair } from './credentials.js';

interface LocalSource {
  readonly entries: readonly ConfigEntry[];
  /** Absent while the keys that name the data folder are not known yet, and while nothing has been created. */
  readonly local?: LocalSettings;
}

const settingsHeader =
  '# Made by the first "srv run --local-settings". Holds secrets: keep it private and keep it,\n# for stored credentials cannot be read without it.\n';
const cliHeader = '# Configuration of the command-line tool for this installation. Use it with CLI_CONFIG_FILE.\n';

const quickstartRules = [
  { keys: ['database.type', 'blockstore.type'], text: 'quickstart mode can only run with local settings' },
  {
    keys: ['installation.user_name', 'installation.access_key_id', 'installation.secret_access_key'],
    text: 'installation parameters must not be changed in quickstart mode',
  },
] as const;

/**
 * @param stronger what file, environment and flags say.
 * @param create whether the first run makes what is missing; otherwise nothing is written.
 * @throws SrvError `config` when the data folder cannot be written or quickstart's fixed values are changed.
 */
export function localSettings(context: SourceContext, stronger: readonly ConfigEntry[], create: boolean): LocalSource {
  const quickstart = context.flags.quickstart === true;
  const flag = quickstart ? '--quickstart' : '--local-settings';
  const types = ['database.type', 'blockstore.type'].map(key => ({ key, raw: 'local', source: flag, isPreset: true }));
  // The kernel first asks for `plugins.*` alone; the data folder is not known then.
  if (!context.names.has('database.local.path')) return { entries: types };

  const setting = reader(context, stronger);
  if (quickstart) refuseChanges(setting, [...types, ...installationEntries('quickstart', quickstartKeyPair)]);
  const folder = dataFolder(context, setting);
  const file = join(folder, 'settings.yaml');
  const fresh = quickstart ? newSettings('quickstart', quickstartKeyPair) : newSettings('admin', generateKeyPair());
  const exists = existsSync(file);
  const created = !exists && create && writing(folder, () => createPrivateFile(file, settingsHeader + stringify(fresh)));
  const text = exists || create ? writing(folder, () => readFileSync(file, 'utf8')) : stringify(fresh);
  // The server creates a first administrator only in a database of its own.
  const hasFirstUser = reader(context, [...types, ...stronger])('database.type') === 'local';
  const entries = [
    ...types,
    ...yamlEntries(text, exists || create ? file : 'first run', context).filter(
      ({ key }) => context.names.has(key) && (hasFirstUser || !key.startsWith('installation.')),
    ),
  ];

  const effective = reader(context, [...entries, ...stronger]);
  const pair = {
    accessKeyId: (hasFirstUser && effective('installation.access_key_id')) || '',
    secretAccessKey: (hasFirstUser && effective('installation.secret_access_key')) || '',
  };
  if (quickstart && pair.accessKeyId !== '' && pair.accessKeyId !== quickstartKeyPair.accessKeyId) {
    throw new SrvError(
      'config',
      `${folder} belongs to an installation with other credentials; run it with --local-settings, or choose another folder with SRV_DATABASE_LOCAL_PATH`,
    );
  }
  if (!exists && !create) return { entries };
  const cliFile = join(folder, 'cli.yaml');
  if (create && pair.accessKeyId !== '')
    writing(folder, () => createPrivateFile(cliFile, cliHeader + stringify(cliSettings(pair, endpointOf(effective)))));
  return { entries, local: { folder, cliFile, created, ...pair, setEndpoint: url => writing(folder, () => setEndpoint(cliFile, url)) } };
}

/** Whether a first run made settings in the data folder. */
export function hasLocalSettings(context: SourceContext, stronger: readonly ConfigEntry[]): boolean {
  return context.names.has('database.local.path') && existsSync(join(dataFolder(context, reader(context, stronger)), 'settings.yaml'));
}

type Reader = (key: string) => string | undefined;

/** Reads what would win, before decoding. */
function reader({ names, keys }: SourceContext, entries: readonly ConfigEntry[]): Reader {
  return key => {
    const found = entries.findLast(entry => names.get(entry.key.toLowerCase()) === key)?.raw ?? keys[key]?.default;
    return found === undefined || found === null ? undefined : String(found as string | number | boolean);
  };
}

function dataFolder({ home, cwd }: SourceContext, setting: Reader): string {
  return dirname(expandHome(setting('database.local.path') ?? '~/srv/metadata', home, cwd));
}

function newSettings(user: string, { accessKeyId, secretAccessKey }: KeyPair) {
  return {
    auth: { encrypt: { secret_key: generateSecret() } },
    blockstore: { signing: { secret_key: generateSecret() } },
    installation: { user_name: user, access_key_id: accessKeyId, secret_access_key: secretAccessKey },
  };
}

function cliSettings({ accessKeyId, secretAccessKey }: KeyPair, url: string) {
  return { credentials: { access_key_id: accessKeyId, secret_access_key: secretAccessKey }, server: { endpoint_url: url } };
}

function installationEntries(user: string, { accessKeyId, secretAccessKey }: KeyPair): ConfigEntry[] {
  const values = { user_name: user, access_key_id: accessKeyId, secret_access_key: secretAccessKey };
  return Object.entries(values).map(([name, raw]) => ({ key: `installation.${name}`, raw, source: '--quickstart' }));
}

function refuseChanges(setting: Reader, fixed: readonly ConfigEntry[]): void {
  for (const { keys, text } of quickstartRules) {
    for (const { key, raw } of fixed.filter(entry => keys.some(name => name === entry.key))) {
      const value = setting(key);
      if (value !== undefined && value !== raw)
        throw new SrvError('config', `${key}: ${text}; remove the setting or run without --quickstart`);
    }
  }
}

/** Where a client on the same machine reaches the configured address. */
function endpointOf(setting: Reader): string {
  const address = setting('listen_address') ?? '0.0.0.0:8000';
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon);
  const scheme = setting('tls.enabled') === 'true' ? 'https' : 'http';
  return `${scheme}://${['', '0.0.0.0', '[::]', '::'].includes(host) ? '127.0.0.1' : host}:${address.slice(colon + 1)}`;
}

/** Comments and other keys of the file stay. */
function setEndpoint(file: string, url: string): void {
  if (!existsSync(file)) return;
  const document = parseDocument(readFileSync(file, 'utf8'));
  const endpoint = followed(yamlValue(document, 'server.endpoint_url'), new URL(url));
  if (endpoint !== undefined && setYamlValue(document, 'server.endpoint_url', endpoint)) replacePrivateFile(file, String(document));
}

/** @returns `undefined`: the address that the file names stays, since it is of a host that only its writer knows. */
function followed(named: unknown, url: URL): string | undefined {
  if (typeof named !== 'string' || !URL.canParse(named)) return url.origin;
  const { hostname } = new URL(named);
  // A certificate may be for this name alone.
  if (hostname === 'localhost' && loopback.has(url.hostname)) return `${url.protocol}//localhost:${url.port}`;
  return loopback.has(hostname) || hostname === url.hostname ? url.origin : undefined;
}

/** Hosts that only this machine reaches. */
const loopback = new Set(['127.0.0.1', '[::1]', 'localhost']);

function writing<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new SrvError(
      'config',
      `data folder ${folder}: ${messageOf(error)}; ${isStorageFull(error) ? 'free space on its disk' : 'make it writable'}, or choose another with SRV_DATABASE_LOCAL_PATH`,
      { cause: error },
    );
  }
}
