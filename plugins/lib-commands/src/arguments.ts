/** What a person gives a command: arguments and options. */
export interface CommandArgument {
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
  /** What its value names on this machine; shells complete it. */
  readonly completes?: 'path';
  /** Takes all remaining words. */
  readonly variadic?: boolean;
}

export type OptionValue = string | number | boolean | readonly string[] | undefined;

export interface CommandOption {
  /** Long name without dashes, as in the specification. */
  readonly name: string;
  /** One letter without dash. */
  readonly short?: string;
  /** `list` splits each value at commas; `texts` takes each one whole, and both gather the values of repeated options. */
  readonly type: 'string' | 'int' | 'bool' | 'list' | 'texts' | 'duration';
  readonly default?: OptionValue;
  readonly required?: boolean;
  readonly choices?: readonly string[];
  /** What its value names on this machine; shells complete it. */
  readonly completes?: 'path';
  readonly description: string;
  readonly hidden?: boolean;
}

export interface CommandInput {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, OptionValue>>;
  /** Names of the options that were given, and are not defaults alone. */
  readonly given?: readonly string[];
}
