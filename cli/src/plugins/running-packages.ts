/**
 * Lets plugins outside the program import `@srv/…` and `joi`: where their own folder has no such package, the name means the one this
 * program runs with, and a module that the program was bundled with is never loaded a second time.
 */
import * as nodeModule from 'node:module';
import { bundledModules, urlOf } from './bundled-modules.js';

interface Loaded {
  readonly format: 'module';
  readonly source: string;
  readonly shortCircuit: true;
}
type Next = (name: string, context: object) => unknown;
interface Hooks {
  readonly resolve: (specifier: string, context: object, next: Next) => unknown;
  readonly load: (url: string, context: object, next: Next) => unknown;
}

/** Names that mean packages of this program: its own, and what the contracts of some hooks are written with. */
const offered = /^(?:@srv\/|joi$)/;
let installing: Promise<void> | undefined;

/** Takes effect for modules imported from now on. Called before the first plugin from outside is loaded, so that others pay nothing. */
export function offerRunningPackages(): Promise<void> {
  installing ??= install();
  return installing;
}

async function install(): Promise<void> {
  const parent = import.meta.url;
  const modules = await bundledModules();
  (globalThis as { [access]?: Readonly<Record<string, object>> })[access] = modules;
  const sources = Object.fromEntries(Object.entries(modules).map(([name, module]) => [urlOf(name), sourceOf(name, module)]));
  // Node 22.15 and later resolve in this thread; earlier versions only in a thread of hooks.
  const { registerHooks } = nodeModule as { readonly registerHooks?: (hooks: Hooks) => unknown };
  if (registerHooks) {
    registerHooks({
      resolve(specifier, context, next) {
        try {
          return next(specifier, context);
        } catch (error) {
          if (!offered.test(specifier)) throw error;
          return next(specifier, { ...context, parentURL: parent });
        }
      },
      load: (url, context, next) => loadedFrom(sources[url]) ?? next(url, context),
    });
    return;
  }
  const hooks = `let parent, sources;
  export function initialize(data) { ({ parent, sources } = data); }
  export async function resolve(specifier, context, next) {
    try { return await next(specifier, context); }
    catch (error) {
      if (!${offered}.test(specifier)) throw error;
      return next(specifier, { ...context, parentURL: parent });
    }
  }
  export async function load(url, context, next) {
    return sources[url] === undefined ? next(url, context) : { format: 'module', source: sources[url], shortCircuit: true };
  }`;
  nodeModule.register(`data:text/javascript,${encodeURIComponent(hooks)}`, { data: { parent, sources } });
}

function loadedFrom(source: string | undefined): Loaded | undefined {
  return source === undefined ? undefined : { format: 'module', source, shortCircuit: true };
}

/** Where a module that stands in for a bundled one finds it. */
const access = Symbol.for('srv.bundledModules');

/** A module that exports what the bundled one does. */
function sourceOf(name: string, module: object): string {
  const exported = Object.keys(module).map(key => (key === 'default' ? 'export default m.default;' : `export const ${key} = m.${key};`));
  return [`const m = globalThis[Symbol.for('srv.bundledModules')][${JSON.stringify(name)}];`, ...exported].join('\n');
}
