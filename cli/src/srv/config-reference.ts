/** `srv config reference`: the key table, made from the declarations of the plugins. */
import { referenceRows, referenceTable } from '@srv/config/reference';
import { availableTypes } from '@srv/kernel';
import type { SrvFlags } from './flags.js';
import { declaredSections, serverKernel } from './server-kernel.js';

export async function configReference({ output, ...flags }: SrvFlags & { readonly output?: string }): Promise<string> {
  // Without switches: keys of disabled plugins are part of the reference, and a broken file does not hide it.
  const kernel = await serverKernel(flags, { switches: {} }).load();
  const types = new Map(Object.entries(availableTypes(kernel.hooks)));
  const rows = referenceRows(declaredSections(kernel)).map(row => {
    const found = types.get(row.key);
    return found ? { ...row, type: found.map(type => `\`${type}\``).join(',') } : row;
  });
  return output === 'json' ? JSON.stringify(rows, null, 2) : referenceTable(rows);
}
