/**
 * `npm run check`: prints every import that breaks the layers, undeclared packages, circles, and every phrase that is not
 * plain English. Ends with 1 when there is one.
 */
import { checkDependencies } from './dependencies/check.js';
import { repositoryRoot } from './repository-root.js';
import { checkWording } from './wording/check.js';

const violations = [...checkDependencies(repositoryRoot), ...checkWording(repositoryRoot)];
for (const violation of violations) process.stdout.write(`${violation}\n`);
process.exitCode = violations.length > 0 ? 1 : 0;
