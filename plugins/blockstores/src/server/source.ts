/** Where `blockstores.stores` is set, it decides which block stores are opened. */
import { SrvError } from '@srv/kernel';
import { joinedType } from '@srv/lib-stores/block';
import type { ConfigEntry } from '@srv/kernel';

const key = 'blockstores.stores';
const typeKey = 'blockstore.type';
/** Keys of section `blockstore` that are not those of a store. */
const shared = ['blockstore.signing.secret_key', 'blockstore.default_namespace_prefix'];

function isEmpty(raw: unknown): boolean {
  return raw === '' || raw === '[]' || (Array.isArray(raw) && raw.length === 0);
}

/** The entries with the type that {@link joinedType} names. @throws SrvError `config` where both sections say which stores there are. */
export function withSeveralStores(entries: readonly ConfigEntry[]): readonly ConfigEntry[] {
  const set = entries.filter(entry => entry.note === undefined && entry.raw !== null);
  const list = set.findLast(entry => entry.key.toLowerCase() === key);
  if (!list || isEmpty(list.raw)) return entries;
  const single = set.find(({ key: name, raw, isPreset }) => {
    const spelled = name.toLowerCase();
    const isChosen = spelled === typeKey && raw === joinedType;
    return spelled.startsWith('blockstore.') && !shared.includes(spelled) && isPreset !== true && !isChosen;
  });
  if (single)
    throw new SrvError(
      'config',
      `${single.key} (from ${single.source}) and ${key} (from ${list.source}) exclude each other: keep section blockstore for one store, blockstores for several`,
    );
  return [...entries, { key: typeKey, raw: joinedType, source: list.source }];
}
