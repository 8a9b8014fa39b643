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

/** Facts of the document that a server would serve, in the form of the fixture. */
export async function servedSurface(operations: readonly AnyOperation[]): Promise<Surface> {
  return surfaceOf(JSON.parse(JSON.stringify(await describeApi(operations, ''))) as ApiDocument);
}
