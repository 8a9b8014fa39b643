/** Where the command-line tool keeps what it can find again. */
import { join } from 'node:path';
import { homeFolder } from '@srv/kernel';

export function cacheFolder(): string {
  const base = process.env['XDG_CACHE_HOME'] || join(homeFolder(), '.cache');
  return join(base, 'srv-cli');
}
