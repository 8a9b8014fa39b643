/** What only this program's own commands use. Completes the contract of `@srv/lib-commands`. */
import { UsageError } from '@srv/lib-commands';
import type { OptionValue } from '@srv/lib-commands';
import type { CommandTable } from './command-table.js';
import type { Settings } from './config/settings.js';
import type { Format } from './output/formats.js';

declare module '@srv/lib-commands' {
  interface CommandContext {
    readonly settings: Settings;
    readonly commands: CommandTable;
    /** Form of the output that was asked for; absent: text. */
    readonly format?: Format;
    /** Names that plugins add to the shell's JavaScript. */
    readonly names: () => Record<string, unknown>;
  }
}

/** Transfers at a time: the option, else the configuration. @throws UsageError for less than 1. */
export function parallelismOf(settings: Settings, value: OptionValue): number {
  const count = typeof value === 'number' ? value : settings.values['options.parallelism'];
  if (count < 1) throw new UsageError(`Invalid value for parallelism (${count}), minimum is 1.`);
  return count;
}
