/** Reads the configuration of the command-line tool: flags, over the file, over variables, over defaults. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { plainEntries } from '@srv/config/plain-entries';
import { Config, keyNames, messageOf, nearest } from '@srv/kernel';
import { cliConfig, foreignSections } from './keys.js';
import type { ConfigEntry, ConfigKeys, ConfigSection, Values } from '@srv/kernel';

type SettingValues = Values<typeof cliConfig.keys>;

export interface Settings {
  readonly values: SettingValues;
  /** Where the configuration is read from and written to. */
  readonly file: string;
  /** Sentences about things that are odd and not fatal. */
  readonly warnings: readonly string[];
  sourceOf(name: string): string;
  /** Key, value with secrets masked, source. */
  show(): readonly { readonly key: string; readonly value: unknown; readonly source: string }[];
}

interface SettingSources {
  /** `--config`. */
  readonly file?: string | undefined;
  /** The file may be missing: it is about to be written. */
  readonly willWrite?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
  /** Values given by options, by key. */
  readonly flags?: Readonly<Record<string, unknown>>;
}

/** `server.endpoint_url` → `CLI_SERVER_ENDPOINT_URL`. */
export function cliEnvName(key: string): string {
  return `CLI_${key.toUpperCase().replaceAll('.', '_')}`;
}

/** @throws Error when the file of `--config` cannot be read, or a value is not allowed. */
export async function readSettings({ file: explicit, env, home, cwd, flags = {}, willWrite = false }: SettingSources): Promise<Settings> {
  const { keys } = cliConfig;
  const variable = env.CLI_CONFIG_FILE;
  const file = explicit ? resolve(cwd, explicit) : variable ? resolve(cwd, variable) : join(home, '.cli.yaml');
  const warnings: string[] = [];
  const missing = !willWrite && !existsSync(file);
  if (explicit && missing) throw new Error(`error reading configuration file: ${explicit}: no such file`);
  if (!explicit && variable && missing) warnings.push(`CLI_CONFIG_FILE: ${variable}: no such file`);
  const inEnv = Object.keys(keys).flatMap(key => fromEnv(key, env));
  const inFile = existsSync(file) ? known(await fromFile(file, keys), warnings) : [];
  const overruled = inEnv.filter(({ key, raw }) => inFile.some(other => other.key === key && String(other.raw) !== String(raw)));
  if (overruled.length > 0) warnings.push(`${overruled.map(({ source }) => source).join(', ')}: not used, since ${file} sets the same`);
  const entries: ConfigEntry[] = [
    ...inEnv,
    ...inFile,
    ...Object.entries(flags).flatMap(([key, raw]) => (raw === undefined ? [] : [{ key, raw, source: 'option' }])),
  ];
  const config = Config.create([cliConfig], entries);
  return { values: config.values(keys), file, warnings, sourceOf: name => config.sourceOf(name), show: () => config.show() };
}

/** Keys that a plugin's command declares, from the same file and variables. @throws Error when a value is not allowed. */
export async function readSection<K extends ConfigKeys>(
  section: ConfigSection<K>,
  { file, env, warn }: { readonly file: string; readonly env: SettingSources['env']; readonly warn: (line: string) => void },
): Promise<Values<K>> {
  const names = Object.keys(section.keys);
  const inFile = existsSync(file) ? ofSection(await fromFile(file, section.keys), names, warn) : [];
  return Config.create([section], [...names.flatMap(key => fromEnv(key, env)), ...inFile]).values(section.keys);
}

function fromEnv(key: string, env: SettingSources['env']): ConfigEntry[] {
  const source = cliEnvName(key);
  const raw = env[source];
  return raw === undefined || raw === '' ? [] : [{ key, raw, source }];
}

async function fromFile(file: string, keys: ConfigKeys): Promise<ConfigEntry[]> {
  const known = { names: keyNames(keys), keys };
  try {
    const text = readFileSync(file, 'utf8');
    return plainEntries(text, file, known) ?? (await import('@srv/config/yaml-entries')).yamlEntries(text, file, known);
  } catch (error) {
    throw new Error(`error reading configuration file: ${messageOf(error)}`, { cause: error });
  }
}

/** Unknown keys cost a warning, not the run: files outlive programs. */
function known(entries: readonly ConfigEntry[], warnings: string[]): ConfigEntry[] {
  const names = Object.keys(cliConfig.keys);
  return entries.filter(entry => {
    const { key, source } = entry;
    if (names.includes(key)) return true;
    const suggestion = nearest(key, names);
    if (suggestion !== undefined || !isForeign(entry))
      warnings.push(`unknown key ${key} in ${source}${suggestion ? `; did you mean ${suggestion}?` : ''}`);
    return false;
  });
}

const isForeign = ({ key }: ConfigEntry): boolean => foreignSections.some(section => key.startsWith(section));

/** Keys in sections of plugins are checked when one of their commands runs; here a mistake only causes a warning. */
function ofSection(entries: readonly ConfigEntry[], names: readonly string[], warn: (line: string) => void): ConfigEntry[] {
  return entries.filter(entry => {
    const { key, source } = entry;
    if (names.includes(key)) return true;
    const suggestion = isForeign(entry) && nearest(key, Object.keys(cliConfig.keys)) === undefined ? nearest(key, names) : undefined;
    if (suggestion !== undefined) warn(`unknown key ${key} in ${source}; did you mean ${suggestion}?`);
    return false;
  });
}
