/** What `copy-all` and `import-all` share: every table of a metastore goes to another one. */
import { ExitError, UsageError } from '@srv/lib-commands';
import { copyAll } from '../copy/copy-all.js';
import { withMetastores } from './open.js';
import { given } from './options.js';
import { readMetastoreSettings } from './settings.js';
import type { CommandContext, CommandInput } from '@srv/lib-commands';
import type { CopiedTable } from '../copy/copy-all.js';
import type { LocationRule } from '../copy/location.js';

/** @throws ExitError after the last table when some could not be copied and the run continued. */
export async function copyMany(context: CommandContext, input: CommandInput, rule: LocationRule): Promise<readonly CopiedTable[]> {
  const settings = await readMetastoreSettings(context);
  const [from, to] = ['from', 'to'].map(side => ({ type: given(input, `${side}-client-type`), address: given(input, `${side}-address`) }));
  if (!from || !to) throw new UsageError('two metastores are needed');
  if (from.address === to.address && (from.type || settings['metastore.type']) === (to.type || settings['metastore.type']))
    throw new UsageError('from-address must be different than to-address');
  const copied = await withMetastores(context, settings, { from, to }, (source, target) =>
    copyAll(source, target, {
      schemaFilter: given(input, 'schema-filter'),
      tableFilter: given(input, 'table-filter'),
      rule,
      dbfsRoot: given(input, 'dbfs-root'),
      fixSparkPlaceholder: settings['metastore.fix_spark_placeholder'],
      continueOnError: input.options['continue-on-error'] === true,
      signal: context.signal,
      tell: context.tell,
    }),
  );
  const failed = copied.filter(({ error }) => error !== undefined);
  if (failed.length === 0) return copied;
  context.tell(`${failed.length} of ${copied.length} could not be copied; the same command again copies the rest:`);
  for (const { from: name, to: target, error = '' } of failed) context.tell(`  ${name} -> ${target}: ${error}`);
  throw new ExitError(1);
}
