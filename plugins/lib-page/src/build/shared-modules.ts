/** Modules that the page has and every part uses: they are not bundled with a part, but taken from the page that loads it. */
import type { Plugin } from 'vite';

/** The page keeps what they export in `globalThis`, by these names. */
const names: readonly string[] = ['preact', 'preact/hooks', 'preact/jsx-runtime', '@srv/lib-page/page'];

export function sharedModules(): Plugin {
  return {
    name: 'shared-modules',
    enforce: 'pre',
    resolveId: id => (names.includes(id) ? { id, external: true, moduleSideEffects: false } : undefined),
    renderChunk(code) {
      const taken = code.replace(/^import \{([^}]*)\} from ["']([^"']+)["'];$/gm, (line, list: string, name: string) =>
        names.includes(name) ? `const {${list.replaceAll(' as ', ': ')}} = globalThis[Symbol.for('srv.page')]['${name}'];` : line,
      );
      const left = /^import [^{].* from ["']([^"'.]+)["']/m.exec(taken)?.[1];
      if (left !== undefined) throw new Error(`${left} belongs to the page: import what it exports by name`);
      return { code: taken, map: null };
    },
  };
}
