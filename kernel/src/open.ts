/** The services every installation has. Which plugin opens each is configuration: the accepted values are the tapped ones. */

import { defineConfig, key, nearest } from './config/index.js';
import { SrvError } from './errors.js';
import { tappedKeys } from './taps.js';
import type { AsyncSeriesBailHook, HookMap } from 'tapable';
import type { Config, ConfigEntry } from './config/index.js';
import type { Hooks } from './hooks.js';

/** Keys the kernel itself reads. */
export const kernelConfig = defineConfig({
  plugin: 'kernel',
  keys: {
    'database.type': key.text({
      required: true,
      defaultText: '-',
      meaning: 'Key-value store of repositories, branches and uncommitted entries: a type that an enabled plugin opens',
    }),
    'blockstore.type': key.text({ required: true, meaning: 'Block store that holds the objects: a type that an enabled plugin opens' }),
    'auth.ui_config.rbac': key.text({
      default: 'none',
      meaning: 'How users are known and permissions decided: a mode that an enabled plugin offers, such as none, simplified or internal',
    }),
    'plugins.disabled': key.list({ default: [], meaning: 'Plugins to switch off' }),
    'plugins.enabled': key.list({ default: [], meaning: 'When not empty, the only plugins to run' }),
    'plugins.paths': key.list({ default: [], meaning: 'Folders of further plugins' }),
  },
});

/** The hook map that serves each key. */
const hookNames = { 'database.type': 'openKvStore', 'blockstore.type': 'openBlockStore', 'auth.ui_config.rbac': 'openIdentity' } as const;

/** What the plugins open: configuration key -> accepted values. */
export function availableTypes(hooks: Hooks): Readonly<Record<keyof typeof hookNames, readonly string[]>> {
  return {
    'database.type': tappedKeys(hooks.openKvStore),
    'blockstore.type': tappedKeys(hooks.openBlockStore),
    'auth.ui_config.rbac': tappedKeys(hooks.openIdentity),
  };
}

/** Finds a plugin that is switched off and would open `hook[type]`. */
type FindDisabled = (hook: string, type: string) => Promise<string | undefined>;

/** What is wrong with the types that `entries` choose: found with all other problems of a configuration, before anything opens. */
export async function wrongTypes(entries: readonly ConfigEntry[], hooks: Hooks, findDisabled: FindDisabled): Promise<string[]> {
  const problems: string[] = [];
  for (const [key, hook] of Object.entries(hookNames)) {
    const { raw, source } = entries.filter(e => e.note === undefined && e.key.toLowerCase() === key).at(-1) ?? {};
    const types = tappedKeys(hooks[hook]);
    if (typeof raw !== 'string' || raw === '' || types.length === 0 || typeOf(raw, types) !== undefined) continue;
    problems.push(`${key}: ${unavailable(raw, types, await findDisabled(hook, raw))} (from ${source})`);
  }
  return problems;
}

interface Opening {
  readonly config: Config;
  readonly findDisabled: FindDisabled;
}

/**
 * Opens what `key` chooses. Types are compared without case, as in configuration files of other tools.
 * @throws SrvError `config` that lists the available types, and names the disabled plugin that would open this one.
 */
export async function openConfigured<T>(
  key: keyof typeof hookNames,
  hook: HookMap<AsyncSeriesBailHook<[config: Config], T>>,
  { config, findDisabled }: Opening,
): Promise<T> {
  const types = tappedKeys(hook);
  const wanted: string = config.values(kernelConfig.keys)[key];
  const type = typeOf(wanted, types);
  const opened = type === undefined ? undefined : await hook.get(type)?.promise(config);
  if (opened !== undefined) return opened;
  const disabled = type === undefined ? await findDisabled(hookNames[key], wanted) : undefined;
  throw new SrvError('config', `${key}: ${unavailable(wanted, types, disabled)}`);
}

function typeOf(wanted: string, types: readonly string[]): string | undefined {
  return types.find(known => known === wanted) ?? types.find(known => known.toLowerCase() === wanted.toLowerCase());
}

function unavailable(wanted: string, types: readonly string[], disabled: string | undefined): string {
  if (disabled !== undefined)
    return `${JSON.stringify(wanted)} is opened by the plugin ${disabled}, which is switched off; enable ${disabled} or choose another type: ${types.join(', ')}`;
  const suggestion = types.includes(wanted) ? undefined : nearest(wanted, types);
  const offer = types.length === 0 ? 'no enabled plugin offers any' : `choose one of ${types.join(', ')}`;
  return `no enabled plugin opens ${JSON.stringify(wanted)}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`} (${offer})`;
}
