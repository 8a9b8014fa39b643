/** The packages of the test servers, which npm install leaves out: installed when a test needs them. */
import { join } from 'node:path';
import { installPackages } from '../installed-packages.js';
import { repositoryRoot } from '../repository-root.js';
import type { ImportGraph } from './import-graph.js';
import type { TestFile } from './test-files.js';

const group = { title: 'the test servers', folder: join(repositoryRoot, 'test', 'servers', 'packages') };
/** What loads them. */
const loader = 'test/servers/src/packages.ts';

/** Those of the files that load the packages, directly or not. */
export function filesWithServers(files: readonly TestFile[], graph: ImportGraph): readonly TestFile[] {
  const dependents = graph.dependents([loader]);
  return files.filter(({ source }) => dependents.has(source));
}

/** @returns why they are not there, for tests that are skipped; `undefined`: they are. */
export async function installServerPackages(print: (text: string) => void): Promise<string | undefined> {
  if ((await installPackages(group, print)) === undefined) return undefined;
  print('test files that need them are skipped\n');
  return 'needs the test servers: npm run test:servers installs them, over the network';
}
