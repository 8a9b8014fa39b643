/** `npm run check`: prints every import that breaks the storeys, undeclared packages, circles. Ends with 1 when there is one. */
import { checkDependencies } from './dependencies/check.js';
import { repositoryRoot } from './repository-root.js';

const violations = checkDependencies(repositoryRoot);
for (const violation of violations) process.stdout.write(`${violation}\n`);
process.exitCode = violations.length > 0 ? 1 : 0;
