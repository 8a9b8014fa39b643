/** Opens each store with a configuration of its own. */
import { SrvError, messageOf, nearest, openConfigured } from '@srv/kernel';
import { joinStores, joinedType } from '@srv/lib-stores/block';
import type { Config, PluginKernel } from '@srv/kernel';
import type { BlockStore, NamedStore } from '@srv/lib-stores/block';
import type { ConfiguredStore } from '../store-list.js';

/** Those that were opened are closed when one of them fails. @throws SrvError `config` that names the store. */
export async function openStores(
  configured: readonly ConfiguredStore[],
  config: Config,
  hooks: Pick<PluginKernel['hooks'], 'openBlockStore'>,
): Promise<BlockStore> {
  if (configured.length === 0) throw new SrvError('config', `blockstore.type: ${joinedType} needs a list in blockstores.stores`);
  const opened: NamedStore[] = [];
  try {
    for (const { id, description, isDefault, ...store } of configured)
      opened.push({ id, description, isDefault, store: await openStore(id, store, config, hooks) });
    return joinStores(opened);
  } catch (error) {
    await Promise.allSettled(opened.map(({ store }) => store.close()));
    throw error;
  }
}

async function openStore(
  id: string,
  { type, settings }: Pick<ConfiguredStore, 'type' | 'settings'>,
  config: Config,
  hooks: Pick<PluginKernel['hooks'], 'openBlockStore'>,
): Promise<BlockStore> {
  const source = `store ${id} of blockstores.stores`;
  try {
    if (type.toLowerCase() === joinedType) throw new SrvError('config', `type: ${type} is not that of a single store`);
    const own = { ...valuesOf(`blockstore.${type}`, settings, config), 'blockstore.type': type };
    return await openConfigured('blockstore.type', hooks.openBlockStore, {
      config: config.with(own, source),
      findDisabled: async () => undefined,
    });
  } catch (error) {
    throw new SrvError('config', `${source}: ${messageOf(error)}`, { cause: error });
  }
}

/** Settings by their full keys. @throws SrvError `config` for one that the plugin of the type does not have. */
function valuesOf(section: string, settings: Readonly<Record<string, unknown>>, config: Config): Record<string, unknown> {
  const known = new Map(config.show().map(({ key }) => [key.toLowerCase(), key]));
  const values: Record<string, unknown> = {};
  const visit = (prefix: string, fields: Readonly<Record<string, unknown>>): void => {
    for (const [name, value] of Object.entries(fields)) {
      const spelled = `${prefix}.${name}`.toLowerCase();
      const key = known.get(spelled);
      if (key !== undefined) values[key] = value;
      else if (isSection(spelled, value, known)) visit(spelled, value);
      else throw unknownKey(spelled, section, [...known.keys()]);
    }
  };
  visit(section.toLowerCase(), settings);
  return values;
}

function isSection(name: string, value: unknown, known: ReadonlyMap<string, string>): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return [...known.keys()].some(key => key.startsWith(`${name}.`));
}

function unknownKey(name: string, section: string, known: readonly string[]): SrvError {
  const own = known.filter(key => key.startsWith(`${section.toLowerCase()}.`));
  const suggestion = nearest(name, own);
  return new SrvError('config', `${name}: unknown key${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`);
}
