/** What a configuration key is, and what a source yields. */

/** One key, declared once, by the plugin that uses it. `T` is the type of the decoded value. */
export interface ConfigKey<T = unknown> {
  /** As shown in the reference table, such as `int`, `duration` or `[]string`. */
  readonly type: string;
  readonly meaning: string;
  /** In the syntax of the configuration file; absent: no default. */
  readonly default?: unknown;
  /** How the reference shows the default when the value itself would mislead. */
  readonly defaultText?: string;
  /** Start-up fails without a value; a function decides from the other keys. */
  readonly required?: boolean | ((config: { get(key: string): unknown }) => boolean);
  readonly secret?: boolean;
  /** Allowed values. */
  readonly values?: readonly string[];
  /** Other spellings accepted in files and variables. */
  readonly aliases?: readonly string[];
  /** Turns a raw value into a `T`, or throws an Error that says what is allowed. */
  decode(raw: unknown): T;
}

/** Keys by full name: `{ 'logging.level': … }`. */
export type ConfigKeys = Readonly<Record<string, ConfigKey>>;

export interface ConfigSection<K extends ConfigKeys = ConfigKeys> {
  /** Plugin that declares the keys. */
  readonly plugin: string;
  readonly keys: K;
  /** Checks across keys: returns one sentence per problem. */
  check?(values: Values<K>): readonly string[];
}

/** The default export of a package's `srv.config` module. */
export function defineConfig<const K extends ConfigKeys>(section: ConfigSection<K>): ConfigSection<K> {
  return section;
}

/** Decoded values of a set of keys. */
export type Values<K extends ConfigKeys> = { readonly [name in keyof K]: K[name] extends ConfigKey<infer T> ? T : never };

/** A value as a source found it. */
export interface ConfigEntry {
  /** Full key, lower case. */
  readonly key: string;
  readonly raw: unknown;
  /** For messages: `config.yaml:12` or `SRV_LOGGING_LEVEL`. */
  readonly source: string;
  /** Why the entry has no effect, a sentence for the operator: it is reported, not decoded. */
  readonly note?: string;
  /** Made up where the operator has not chosen: another choice replaces it without a note. */
  readonly isPreset?: boolean;
}

export interface SourceContext {
  /** Every declared key with its aliases resolved: source name → key name. */
  readonly names: ReadonlyMap<string, string>;
  readonly keys: ConfigKeys;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Command-line options of the program: `--config FILE`, `--local-settings`, … */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  readonly home: string;
}
