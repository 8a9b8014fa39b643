/**
 * Lets plugins outside the workspace import `@srv/…`: where their own folder has no such package, the name means the one
 * this program runs with.
 */
import * as nodeModule from 'node:module';

type Resolve = (specifier: string, context: object, next: (specifier: string, context: object) => unknown) => unknown;

const scope = '@srv/';
let installed = false;

/** Takes effect for modules imported from now on. Called before the first plugin of `plugins.paths` is loaded, so that others pay nothing. */
export function offerRunningPackages(): void {
  if (installed) return;
  installed = true;
  const parent = import.meta.url;
  // Node 22.15 and later resolve in this thread; earlier versions only in a thread of hooks.
  const { registerHooks } = nodeModule as { readonly registerHooks?: (hooks: { readonly resolve: Resolve }) => unknown };
  if (registerHooks) {
    registerHooks({
      resolve(specifier, context, next) {
        try {
          return next(specifier, context);
        } catch (error) {
          if (!specifier.startsWith(scope)) throw error;
          return next(specifier, { ...context, parentURL: parent });
        }
      },
    });
    return;
  }
  const hooks = `export async function resolve(specifier, context, next) {
    try { return await next(specifier, context); }
    catch (error) {
      if (!specifier.startsWith(${JSON.stringify(scope)})) throw error;
      return next(specifier, { ...context, parentURL: ${JSON.stringify(parent)} });
    }
  }`;
  nodeModule.register(`data:text/javascript,${encodeURIComponent(hooks)}`);
}
