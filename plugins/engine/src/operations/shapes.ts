/**
 * The engine's operations as clients see them. In a bundle a list of the shapes takes the place of this module, which
 * brings what carries the operations out, too (`scripts/bundling/engine-shapes`).
 */
import operations from './index.js';
import type { WireShapes } from '@srv/lib-api/client';

export const engineShapes: WireShapes = operations;
