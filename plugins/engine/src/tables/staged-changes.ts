/** Changes as they are staged and as tables hold them. */
import { recordOfStaged } from './format/index.js';
import type { Change } from './algorithms/index.js';

/** @param change its value is a row of a staging partition; the row's bytes belong to the caller. */
export function fromStaged({ key, value }: Change): Change {
  return { key, value: value && recordOfStaged(value) };
}
