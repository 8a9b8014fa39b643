/** Lets modules written for Node.js be bundled for the browser: what there is nothing for fails when it is called, in plain words. */
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** Modules of Node.js that have a counterpart in `page/without-node`. */
const counterparts: Readonly<Record<string, string>> = {
  events: 'events.ts',
  process: 'process.ts',
  stream: 'stream.ts',
  'stream/consumers': 'stream-consumers.ts',
  'timers/promises': 'timers-promises.ts',
  util: 'util.ts',
};

const marker = '\0absent:';

/** @param page folder of the page. */
export function withoutNode(page: string): Plugin {
  const folder = join(page, 'without-node');
  return {
    name: 'without-node',
    enforce: 'pre',
    async resolveId(source, importer, options) {
      if (isBuiltin(source)) return `${marker}${source.replace(/^node:/, '')}`;
      // Modules of the workspace do nothing when they are loaded: what is not used of them is left out.
      if (!source.startsWith('@srv/')) return undefined;
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
      return resolved && { ...resolved, moduleSideEffects: false };
    },
    load(id) {
      if (!id.startsWith(marker)) return undefined;
      const name = id.slice(marker.length);
      const counterpart = counterparts[name];
      const from = counterpart === undefined ? undefined : JSON.stringify(join(folder, counterpart));
      // Names that a counterpart lacks are taken from the default export: calling one throws an error that says why.
      const code = [
        from === undefined ? '' : `export * from ${from};`,
        name === 'process'
          ? `export { default } from ${from};`
          : `import { absent } from ${JSON.stringify(join(folder, 'absent.ts'))};\nexport default absent(${JSON.stringify(name)});`,
      ].join('\n');
      return { code, syntheticNamedExports: true, moduleSideEffects: false };
    },
  };
}
