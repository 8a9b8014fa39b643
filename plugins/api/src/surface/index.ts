/** For developers: the served document, and how it differs from the surface of the original. */
import { operationList } from '../operations/index.js';
import { describeApi } from '../server/openapi.js';
import { surfaceOf } from './comparison.js';
import type { ApiDocument, Surface } from './comparison.js';

export { compareSurfaces } from './comparison.js';
export { judge } from './known-differences.js';
export type { Surface } from './comparison.js';
export type { KnownDifference } from './known-differences.js';

/** The document as a server of this version would serve it. */
export function servedDocument(version: string): object {
  return describeApi(operationList, version);
}

/** Its facts in the form of the fixture. */
export function servedSurface(): Surface {
  return surfaceOf(JSON.parse(JSON.stringify(servedDocument(''))) as ApiDocument);
}
