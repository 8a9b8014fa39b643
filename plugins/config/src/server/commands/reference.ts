/** `srv config reference`: the key table, made from the declarations of the plugins. */
import { availableTypes } from '@srv/kernel';
import { referenceRows, referenceTable } from '../reference.js';
import type { ConfigSection, Kernel } from '@srv/kernel';

/** @param kernel of all plugins, disabled ones included. */
export function configReference({ sections: declared, hooks }: Kernel, format: 'json' | 'table'): string {
  const sections: ConfigSection[] = [...declared];
  hooks.configSections.call(section => sections.push(section));
  const types = new Map(Object.entries(availableTypes(hooks)));
  const rows = referenceRows(sections).map(row => {
    const found = types.get(row.key);
    return found ? { ...row, type: found.map(type => `\`${type}\``).join(',') } : row;
  });
  return format === 'json' ? JSON.stringify(rows, null, 2) : referenceTable(rows);
}
