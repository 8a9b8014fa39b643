/** `srv kv repair`. */
import { SrvError, kernelConfig } from '@srv/kernel';
import type { ServerCommandContext } from '@srv/lib-commands';

/**
 * @param yes repairs; otherwise it is only said what would be done.
 * @throws SrvError `unsupported` for a database that is repaired by its own tools.
 */
export async function repair(context: ServerCommandContext, yes: boolean): Promise<{ readonly text: string; readonly exitCode: number }> {
  const kernel = await context.kernel({ prepare: false, inTrouble: true });
  try {
    const type = kernel.config.values(kernelConfig.keys)['database.type'];
    const prepared = await kernel.hooks.repairKvStore.get(type)?.promise(kernel.config);
    if (!prepared) throw new SrvError('unsupported', `database.type ${type}: repair this database with its own tools`);
    try {
      const findings = prepared.findings.join('\n');
      if (!prepared.isNeeded) return { text: `${findings}\nNothing to repair.`, exitCode: 0 };
      if (!yes) return { text: `${findings}\nNothing has been changed. To repair: srv kv repair --yes`, exitCode: 1 };
      return { text: `${findings}\nRepaired. The damaged files are kept in ${await prepared.apply()}`, exitCode: 0 };
    } finally {
      await prepared.close();
    }
  } finally {
    await kernel.stop();
  }
}
