/** `node scripts/dist/references.js`: writes the `references` of every tsconfig.json. `npm run check` fails when they differ. */
import { writeReferences } from './dependencies/write-references.js';
import { repositoryRoot } from './repository-root.js';

for (const file of writeReferences(repositoryRoot)) process.stdout.write(`${file}\n`);
