/** For developers: the served document, and how it differs from the surface of the original. */

import { describeApi } from '../server/openapi.js';
import { surfaceOf } from './comparison.js';
import type { AnyOperation } from '@srv/lib-api';
import type { ApiDocument, Surface } from './comparison.js';

export { compareSurfaces } from './comparison.js';
export { describedOperations } from './described-operations.js';
export { judge } from './known-differences.js';
export type { Surface } from './comparison.js';
export type { KnownDifference } from './known-differences.js';

/** The document as a server of this version would serve it. */
function servedDocument(operations: readonly AnyOperation[], version: string): object {
  return describeApi(operations, version);
}

/** Its facts in the form of the fixture. */
export function servedSurface(operations: readonly AnyOperation[]): Surface {
  return surfaceOf(JSON.parse(JSON.stringify(servedDocument(operations, ''))) as ApiDocument);
}
