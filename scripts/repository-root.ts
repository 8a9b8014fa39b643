import { resolve } from 'node:path';

/** This file is `scripts/dist/repository-root.js` once compiled. */
export const repositoryRoot = resolve(import.meta.dirname, '..', '..');
