/** Imported first: what is compiled once is kept for the next start, by Node.js 22 and later. Switched off as Node.js says. */
import * as nodeModule from 'node:module';

(nodeModule as { readonly enableCompileCache?: () => unknown }).enableCompileCache?.();
