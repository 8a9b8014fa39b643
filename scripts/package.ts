/**
 * `node scripts/dist/package.js FOLDER`: packs all packages into an installation for other machines. `npm ci --omit=dev` in
 * the folder completes it, with the versions of everything that the workspace was tested with; then `npx srv run` works there.
 */
import { resolve } from 'node:path';
import { packInstallation } from './packaging/pack.js';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('usage: node scripts/dist/package.js FOLDER\n');
  process.exitCode = 1;
} else {
  const packages = await packInstallation(resolve(folder));
  process.stdout.write(`${packages.length} packages; complete the installation with: cd ${folder} && npm ci --omit=dev\n`);
}
