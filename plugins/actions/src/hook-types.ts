/** The hook types that plugins offer. */
import type { Hooks } from '@srv/kernel';
import type { HookType } from '@srv/lib-api/hook-types';
import type { HookTypes } from './files/action-file.js';

/** Each type is looked up once: a plugin offers one permanent object. */
export function hookTypesOf({ hookType }: Pick<Hooks, 'hookType'>): HookTypes {
  const known = new Map<string, HookType>();
  return name => {
    const found = known.get(name) ?? hookType.get(name)?.call();
    if (found) known.set(name, found);
    return found;
  };
}
