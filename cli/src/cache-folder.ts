/** Where the command-line tool keeps what it can find again. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export function cacheFolder(): string {
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(base, 'srv-cli');
}
