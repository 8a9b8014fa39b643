/** Configuration from command-line options that bear the name of a key, such as `--logging.level`. */
import type { ConfigEntry, SourceContext } from '@srv/kernel';

export function flagEntries({ names, flags }: Pick<SourceContext, 'names' | 'flags'>): ConfigEntry[] {
  return Object.entries(flags).flatMap(([flag, raw]) => {
    const key = names.get(flag.toLowerCase());
    return key === undefined || raw === undefined ? [] : [{ key, raw, source: `--${flag}` }];
  });
}
