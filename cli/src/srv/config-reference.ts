/** `srv config reference`: the key table, made from the declarations of the plugins. */
import { referenceRows, referenceTable } from '@srv/config/reference';
import type { SrvFlags } from './main.js';
import { declaredSections, serverKernel } from './server-kernel.js';

export async function configReference({ output, ...flags }: SrvFlags & { readonly output?: string }): Promise<string> {
  // Without switches: keys of disabled plugins are part of the reference, and a broken file does not hide it.
  const kernel = await serverKernel(flags, { switches: {} }).load();
  const rows = referenceRows(declaredSections(kernel));
  return output === 'json' ? JSON.stringify(rows, null, 2) : referenceTable(rows);
}
