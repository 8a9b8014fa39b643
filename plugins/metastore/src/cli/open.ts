/** Opens the metastores that options and configuration name. */
import { UsageError } from '@srv/lib-commands';
import type { CommandContext } from '@srv/lib-commands';
import type { Metastore, MetastoreType } from '../metastore.js';
import type { MetastoreSettings } from './settings.js';

interface MetastoreAddress {
  /** From an option; empty: what the configuration says. */
  readonly type: string;
  /** `host:port` of Hive, the catalog id of Glue; empty: what the configuration says. */
  readonly address: string;
}

/** Opens both, runs `work`, closes both. */
export async function withMetastores<T>(
  context: CommandContext,
  settings: MetastoreSettings,
  { from, to }: { readonly from: MetastoreAddress; readonly to: MetastoreAddress },
  work: (from: Metastore, to: Metastore) => Promise<T>,
): Promise<T> {
  const opened: Metastore[] = [];
  try {
    const source = await openMetastore(context, settings, from);
    opened.push(source);
    const target = await openMetastore(context, settings, to);
    opened.push(target);
    return await work(source, target);
  } finally {
    for (const metastore of opened) metastore.close();
  }
}

async function openMetastore(
  context: CommandContext,
  settings: MetastoreSettings,
  { type, address }: MetastoreAddress,
): Promise<Metastore> {
  const { signal } = context;
  if (typeOf(type, settings) === 'hive') {
    const uri = address || settings['metastore.hive.uri'];
    if (uri === '') throw new UsageError('the address of the Hive metastore is missing: give it as an option, or set metastore.hive.uri');
    const { HiveMetastore } = await import('../hive/metastore.js');
    return new HiveMetastore(uri, signal);
  }
  const catalogId = address || settings['metastore.glue.catalog_id'];
  if (catalogId === '') context.warn('no Glue catalog ID is set (metastore.glue.catalog_id): the catalog of the account is used');
  const { GlueMetastore } = await import('../glue/metastore.js');
  const { glueClient } = await import('./glue-client.js');
  return new GlueMetastore({ catalogId, client: glueClient(settings), signal });
}

function typeOf(option: string, settings: MetastoreSettings): MetastoreType {
  const type = option || settings['metastore.type'];
  if (type !== 'hive' && type !== 'glue') throw new UsageError(`unknown type, expected hive or glue got: ${type}`);
  return type;
}
