/** Puts the shapes of the engine's operations into a bundle of a client, in place of the operations. */
import operations from '@srv/engine/operations';
import { linesOf } from '@srv/lib-api/client';
import type { Plugin } from 'esbuild';

export const engineShapes: Plugin = {
  name: 'engine-shapes',
  setup(build) {
    build.onLoad({ filter: /[\\/]engine[\\/]dist[\\/]src[\\/]operations[\\/]shapes\.js$/ }, () => ({
      contents: `import { shapesOf } from '@srv/lib-api/client';\nexport const engineShapes = shapesOf(${JSON.stringify(linesOf(operations))});`,
      loader: 'js',
    }));
  },
};
