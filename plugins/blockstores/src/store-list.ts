/** The list `blockstores.stores`. */
import { isStorageId } from '@srv/lib-stores/block';

export interface ConfiguredStore {
  readonly id: string;
  readonly description: string;
  /** Repositories without a storage id are in it. */
  readonly isDefault: boolean;
  readonly type: string;
  /** Keys of `blockstore.<type>`, which may be nested as in the file. */
  readonly settings: Readonly<Record<string, unknown>>;
}

type Fields = Readonly<Record<string, unknown>>;

const known = ['id', 'description', 'backward_compatible', 'type'];

/** @throws Error that says what is allowed. Values of settings are never shown: they may be secrets. */
export function decodeStores(raw: unknown): readonly ConfiguredStore[] {
  const list = typeof raw === 'string' ? parsed(raw) : raw;
  if (!Array.isArray(list)) throw new Error('a list of block stores');
  const stores = list.map(decodeStore);
  for (const [at, { id }] of stores.entries())
    if (stores.findIndex(other => other.id === id) !== at) throw new Error(`ids that differ; ${JSON.stringify(id)} is there twice`);
  const defaults = stores.filter(({ isDefault }) => isDefault).map(({ id }) => id);
  if (defaults.length > 1) throw new Error(`one store with backward_compatible: true; there are ${defaults.join(', ')}`);
  return stores;
}

function parsed(raw: string): unknown {
  if (raw.trim() === '') return [];
  try {
    return JSON.parse(raw);
  } catch {
    // The message of the parser would quote what may be a secret.
    throw new Error('a JSON list of block stores');
  }
}

function decodeStore(raw: unknown, at: number): ConfiguredStore {
  const here = `block store ${at + 1} of the list`;
  if (!isFields(raw)) throw new Error(`a map of settings as ${here}`);
  const { id, type, description = '', backward_compatible: isDefault = false } = raw;
  if (typeof id !== 'string' || !isStorageId(id))
    throw new Error(`an id of up to 64 letters, digits, dots, dashes and underscores for ${here}`);
  if (typeof type !== 'string' || type === '') throw new Error(`a type, such as s3, for store ${id}`);
  if (typeof description !== 'string') throw new Error(`a text as description of store ${id}`);
  if (typeof isDefault !== 'boolean') throw new Error(`true or false as backward_compatible of store ${id}`);
  const other = Object.keys(raw).find(name => !known.includes(name) && name !== type);
  if (other !== undefined) throw new Error(`${[...known, type].join(', ')} for store ${id}; not ${JSON.stringify(other)}`);
  const settings = raw[type] ?? {};
  if (!isFields(settings)) throw new Error(`a map of the keys of blockstore.${type} as ${type} of store ${id}`);
  return { id, type, description, isDefault, settings };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
