/** Configuration from environment variables: `SRV_` and the key in upper case with `.` replaced by `_`. */
import { envName } from '@srv/kernel';
import type { ConfigEntry, SourceContext } from '@srv/kernel';

/** Entries of the declared keys and their aliases; an empty variable counts as unset, unknown variables are ignored. */
export function environmentEntries({ names, env }: Pick<SourceContext, 'names' | 'env'>): ConfigEntry[] {
  // Of two spellings of one key the proper name must win, so it comes last.
  const spellings = [...names].sort(([a, keyA], [b, keyB]) => Number(a === keyA) - Number(b === keyB));
  return spellings.flatMap(([spelling, key]) => {
    const variable = envName(spelling);
    const raw = env[variable];
    return raw === undefined || raw === '' ? [] : [{ key, raw, source: variable }];
  });
}
