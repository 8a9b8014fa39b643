/** `npm run test:servers`: installs the packages of the test servers, as a run of tests that need them does. */
import { installServerPackages } from './test-runner/server-packages.js';

if ((await installServerPackages(text => process.stdout.write(text))) !== undefined) process.exitCode = 1;
