/** The effective configuration: decoded once, frozen, aware of where each value came from. */
import { SrvError, messageOf } from '../errors.js';
import { nearest } from './nearest.js';
import type { ConfigEntry, ConfigKey, ConfigKeys, ConfigSection, Values } from './types.js';

export interface ShownValue {
  readonly key: string;
  /** Masked when the key is secret. */
  readonly value: unknown;
  /** `default`, `config.yaml:12`, `SRV_LOGGING_LEVEL`, … */
  readonly source: string;
}

interface Setting {
  readonly value: unknown;
  readonly source: string;
  /** Why the configured value cannot be decoded; `value` is the default then. */
  readonly problem?: string;
}

const masked = '******';

/** Accepted names of keys, aliases included: lower-case name → key. */
export function keyNames(keys: ConfigKeys): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, { aliases = [] }] of Object.entries(keys)) {
    for (const alias of [name, ...aliases]) names.set(alias.toLowerCase(), name);
  }
  return names;
}

export class Config {
  readonly #settings: ReadonlyMap<string, Setting>;
  readonly #keys: ConfigKeys;
  readonly #sections: readonly ConfigSection[];
  /** What was set without effect: a sentence each. */
  readonly notes: readonly string[];

  private constructor(settings: ReadonlyMap<string, Setting>, sections: readonly ConfigSection[], notes: readonly string[]) {
    this.#settings = settings;
    this.#sections = sections;
    this.#keys = Object.assign({}, ...sections.map(({ keys }) => keys)) as ConfigKeys;
    this.notes = notes;
  }

  /**
   * Decodes `entries` (weakest first; the last one of a key wins) against `sections`.
   * @param options.active plugins whose keys are judged. Keys of others are accepted without effect, whatever their values.
   * @param options.problems found elsewhere, to be listed with those found here.
   * @param options.offered values of keys that plugins offer, for messages.
   * @throws SrvError `config` that lists every problem at once.
   */
  static create(
    sections: readonly ConfigSection[],
    entries: readonly ConfigEntry[],
    {
      active = () => true,
      problems: found = [],
      offered = {},
    }: {
      readonly active?: (plugin: string) => boolean;
      readonly problems?: readonly string[];
      readonly offered?: Readonly<Record<string, readonly string[]>>;
    } = {},
  ): Config {
    const problems = [...found];
    const keys = mergeKeys(sections, problems);
    const names = keyNames(keys);
    const raw = new Map<string, ConfigEntry>();
    const notes = entries.flatMap(({ note }) => note ?? []);
    for (const entry of entries.filter(({ note }) => note === undefined)) {
      const name = names.get(entry.key.toLowerCase());
      if (name !== undefined) raw.set(name, entry);
      else problems.push(unknownKey(entry, [...names.keys()]));
    }
    const settings = new Map(Object.entries(keys).map(([name, key]) => [name, decode(name, key, raw.get(name))]));
    const judged = sections.filter(({ plugin }) => active(plugin));
    for (const section of judged) problems.push(...problemsIn(settings, Object.keys(section.keys)));
    for (const { plugin, keys: declared } of sections.filter(s => !active(s.plugin))) notes.push(...withoutEffect(plugin, declared, raw));
    // By `this`, since a bundle would rename a class that names itself, and its name is seen in the shell.
    const config = new this(settings, sections, notes);
    for (const section of judged) problems.push(...config.#problemsOf(section, offered));
    refuse(problems);
    return config;
  }

  #problemsOf({ keys, check, plugin }: ConfigSection, offered: Readonly<Record<string, readonly string[]>>): string[] {
    const lookup = { get: (name: string) => this.#settings.get(name)?.value };
    const missing = Object.entries(keys)
      .filter(([, { required }]) => (typeof required === 'function' ? required(lookup) : required))
      .filter(([name]) => lookup.get(name) === undefined || lookup.get(name) === '')
      .map(
        ([name, key]) =>
          `${name}: missing required key (plugin ${plugin}); set it in the file or as ${envName(name)}; allowed: ${offered[name]?.join(', ') || allowedOf(key)}`,
      );
    return missing.length > 0 ? missing : [...(check?.(this.#decoded(keys)) ?? [])];
  }

  /**
   * Decoded values of a plugin's keys.
   * @throws SrvError `config` when one of them could not be decoded, which {@link create} accepts of plugins that are off.
   */
  values<const K extends ConfigKeys>(keys: K): Values<K> {
    refuse(problemsIn(this.#settings, Object.keys(keys)));
    return this.#decoded(keys);
  }

  #decoded<const K extends ConfigKeys>(keys: K): Values<K> {
    return Object.freeze(Object.fromEntries(Object.keys(keys).map(name => [name, this.#settings.get(name)?.value]))) as Values<K>;
  }

  /**
   * The same configuration with some values replaced, for tools that open something in another way than the server.
   * @param values in the syntax of the configuration file, by key. Keys that no plugin declares are left out.
   * @param source where the values come from, for messages.
   * @throws SrvError `config` when one of them cannot be decoded, or does not go with the others of its plugin.
   */
  with(values: Readonly<Record<string, unknown>>, source: string): Config {
    const settings = new Map(this.#settings);
    for (const [name, raw] of Object.entries(values)) {
      const key = this.#keys[name];
      if (key) settings.set(name, decode(name, key, { key: name, raw, source }));
    }
    refuse(problemsIn(settings, Object.keys(values)));
    // By `constructor`, for the reason given in `create`.
    const changed = new (this.constructor as typeof Config)(settings, this.#sections, this.notes);
    refuse(
      this.#sections
        .filter(({ keys }) => Object.keys(values).some(name => name in keys))
        .flatMap(section => changed.#problemsOf(section, {})),
    );
    return changed;
  }

  /** Every key with its value, secrets masked, sorted by name. */
  show(): ShownValue[] {
    return [...this.#settings]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, { value, source }]) => ({
        key,
        value: this.#keys[key]?.secret && value !== undefined && value !== '' ? masked : value,
        source,
      }));
  }

  /** Where a value came from; `default` when nothing set it. */
  sourceOf(key: string): string {
    return this.#settings.get(key)?.source ?? 'default';
  }
}

/** `logging.level` → `SRV_LOGGING_LEVEL`. */
export function envName(key: string): string {
  return `SRV_${key.toUpperCase().replaceAll('.', '_')}`;
}

function mergeKeys(sections: readonly ConfigSection[], problems: string[]): ConfigKeys {
  const owners = new Map<string, string>();
  const keys: Record<string, ConfigKey> = {};
  for (const { plugin, keys: declared } of sections) {
    for (const [name, key] of Object.entries(declared)) {
      const owner = owners.get(name);
      if (owner !== undefined) problems.push(`${name}: declared by both ${owner} and ${plugin}`);
      owners.set(name, plugin);
      keys[name] = key;
    }
  }
  return keys;
}

function decode(name: string, key: ConfigKey, entry: ConfigEntry | undefined): Setting {
  const preset = (): Setting => ({ value: key.default === undefined ? undefined : key.decode(key.default), source: 'default' });
  if (entry === undefined || entry.raw === null || entry.raw === undefined) return preset();
  try {
    return { value: key.decode(entry.raw), source: entry.source };
  } catch (error) {
    const shown = key.secret ? masked : JSON.stringify(entry.raw);
    return { ...preset(), problem: `${name}: ${shown} (from ${entry.source}) is not allowed; allowed: ${messageOf(error)}` };
  }
}

function problemsIn(settings: ReadonlyMap<string, Setting>, names: readonly string[]): string[] {
  return names.flatMap(name => settings.get(name)?.problem ?? []);
}

/** @throws SrvError `config` that lists the problems, if there are any. */
function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new SrvError('config', `bad configuration:\n${problems.map(p => `  - ${p}`).join('\n')}`, { details: { problems } });
}

function withoutEffect(plugin: string, declared: ConfigKeys, set: ReadonlyMap<string, ConfigEntry>): string[] {
  return Object.keys(declared).flatMap(name => {
    const entry = set.get(name);
    return entry ? [`${name} (from ${entry.source}) has no effect: the plugin ${plugin} is off`] : [];
  });
}

function unknownKey({ key, source }: ConfigEntry, known: readonly string[]): string {
  const suggestion = nearest(key, known);
  return `${key}: unknown key (from ${source})${suggestion ? `; did you mean ${suggestion}?` : ''}`;
}

function allowedOf({ values, type }: ConfigKey): string {
  return values ? values.join(', ') : type;
}
