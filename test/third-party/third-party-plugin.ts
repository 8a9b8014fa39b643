/** Third-party plugins, outside the workspace: a folder each, with a manifest and one module. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Parts of the manifest beside `server`; all of them are the one module. */
type Part = 'server' | 'cli';

/** @returns the folder of the plugin, to be named in `plugins.paths`. */
export function installThirdParty(parent: string, name: string, ...parts: readonly Part[]): string {
  const folder = join(parent, name);
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(import.meta.dirname, 'plugins', `${name}.js`), join(folder, 'plugin.js'));
  const entries = Object.fromEntries((parts.length > 0 ? parts : ['server']).map(part => [part, './plugin.js']));
  const srv = { api: 1, name, ...entries };
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: `strange-${name}`, version: '1.0.0', type: 'module', keywords: ['srv-plugin'], srv }),
  );
  return folder;
}
