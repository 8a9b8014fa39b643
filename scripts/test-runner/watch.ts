/** Edits of sources, one batch after another, for a developer who leaves the tests running. */
import { existsSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { packageFolders, toolFolders } from '../workspace-folders.js';

/** Milliseconds: an editor and a formatter often write the same file twice. */
const settleMs = 100;
const ignored = new Set(['dist', 'node_modules']);

/** @returns batches of changed files, relative to the repository, until `signal` aborts. */
export async function* edits(root: string, signal: AbortSignal): AsyncGenerator<readonly string[]> {
  const changed = new Set<string>();
  let wake = (): void => undefined;
  const note = (path: string): void => {
    if (path.split('/').some(part => ignored.has(part))) return;
    changed.add(path);
    wake();
  };
  const watchers = sourceFolders(root).map(folder =>
    watch(join(root, folder), { recursive: true }, (_event, file) => note(file === null ? folder : `${folder}/${file}`)),
  );
  signal.addEventListener('abort', () => wake());
  try {
    while (!signal.aborted) {
      if (changed.size === 0) await new Promise<void>(resolve => (wake = resolve));
      await new Promise(resolve => setTimeout(resolve, settleMs));
      const batch = [...changed];
      changed.clear();
      if (batch.length > 0 && !signal.aborted) yield batch;
    }
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}

/** Folders of sources: watching a package as a whole would watch what is installed in it. */
function sourceFolders(root: string): string[] {
  return [...packageFolders(root), ...toolFolders]
    .filter(folder => existsSync(join(root, folder)))
    .flatMap(folder =>
      readdirSync(join(root, folder), { withFileTypes: true })
        .filter(entry => entry.isDirectory() && !ignored.has(entry.name))
        .map(entry => `${folder}/${entry.name}`),
    );
}
