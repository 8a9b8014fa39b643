/** The configuration as commands of plugins see it. */
import { formatDuration } from '@srv/kernel';
import { cliConfig } from './keys.js';
import { readSection } from './settings.js';
import type { ConfigKeys } from '@srv/kernel';
import type { CommandContext } from '@srv/lib-commands';
import type { Settings } from './settings.js';

export function configurationOf(
  settings: Settings,
  env: CommandContext['env'],
  warn: CommandContext['warn'],
): CommandContext['configuration'] {
  const { file } = settings;
  return {
    file,
    show: () => settings.show().map(setting => ({ ...setting, value: asWritten(setting.key, setting.value) })),
    read: section => readSection(section, { file, env, warn }),
  };
}

/** Durations with their unit. */
function asWritten(name: string, value: unknown): unknown {
  const keys: ConfigKeys = cliConfig.keys;
  return keys[name]?.type === 'duration' && typeof value === 'number' ? formatDuration(value) : value;
}
