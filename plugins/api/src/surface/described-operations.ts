/** Operations as the plugins of a workspace describe them, without a server. */
import { pathToFileURL } from 'node:url';
import { findPlugins } from '@srv/kernel';
import { OperationList } from '@srv/lib-api';
import type { AnyOperation, OperationGroup } from '@srv/lib-api';

/**
 * @param builtIn folder whose sub-folders are plugins.
 * @param wanted names of the plugins to ask; absent: all of them.
 */
export async function describedOperations(builtIn: string, wanted?: readonly string[]): Promise<readonly AnyOperation[]> {
  const table = new OperationList();
  for (const { name, entries } of findPlugins({ builtIn: [builtIn], modules: [], paths: [] }).manifests) {
    if (entries.operations === undefined || wanted?.includes(name) === false) continue;
    const { default: operations } = (await import(pathToFileURL(entries.operations).href)) as { readonly default: OperationGroup };
    table.add(name, operations);
  }
  return table.list();
}
