/** Files of this machine, for completion. */
import { readdir } from 'node:fs/promises';
import { isTypeable } from '@srv/engine/shell';
import { homeFolder } from '@srv/kernel';

const most = 200;

/** Files and folders that begin like `partial`; folders end with a slash. None where the folder cannot be read. */
export async function localPaths(partial: string): Promise<string[]> {
  const at = partial.lastIndexOf('/') + 1;
  const [folder, name] = [partial.slice(0, at), partial.slice(at)];
  const entries = await readdir(folder === '' ? '.' : folder.replace(/^~(?=\/)/, homeFolder()), { withFileTypes: true }).catch(() => []);
  return entries
    .filter(entry => entry.name.startsWith(name) && isTypeable(entry.name) && (name !== '' || !entry.name.startsWith('.')))
    .map(entry => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`)
    .sort()
    .slice(0, most);
}
