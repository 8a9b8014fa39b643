/** `npm run test:servers`: installs the packages of the test servers, as a run of tests that need them does. */
import { join } from 'node:path';
import { repositoryRoot } from './repository-root.js';
import { installServerPackages, serverPackages } from './test-runner/server-packages.js';

const missing = await installServerPackages(join(repositoryRoot, serverPackages), text => process.stdout.write(text));
if (missing !== undefined) process.exitCode = 1;
