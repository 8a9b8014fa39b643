/** What only this program's own commands use. Completes the contract of `@srv/lib-commands`. */
import type { CommandTable } from '@srv/engine/shell';
import type { Settings } from './config/settings.js';

declare module '@srv/lib-commands' {
  interface CommandContext {
    readonly settings: Settings;
    readonly commands: CommandTable;
    /** Names that plugins add to the shell's JavaScript. */
    readonly names: () => Record<string, unknown>;
  }
}
