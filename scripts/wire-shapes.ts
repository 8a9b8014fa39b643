/** `node scripts/dist/wire-shapes.js`: writes what clients know of the engine's operations without loading them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import engineOperations from '@srv/engine/operations';
import { linesOf } from '@srv/lib-api/client';
import { repositoryRoot } from './repository-root.js';

const file = join(repositoryRoot, 'plugins', 'engine', 'src', 'operations', 'wire-shapes.ts');
const lines = Object.entries(linesOf(engineOperations)).map(([id, line]) => `  ${id}: ${JSON.stringify(line)},`);
writeFileSync(
  file,
  `/** The engine's operations as clients see them. Written by \`node scripts/dist/wire-shapes.js\`. */
import { shapesOf } from '@srv/lib-api/client';

export const engineShapes = shapesOf({
${lines.join('\n')}
});
`,
);
