/** What the algorithms produce, in ascending key order, gathered in batches so that a step costs less than a record. */
import type { RangeDescriptor, UnreadBlock } from '../format/index.js';

/** A record to write, a block that stays unchanged, as does the record after it, or a whole range to take over by id. */
export type Output =
  | { readonly key: Buffer; readonly value: Buffer }
  | { readonly block: UnreadBlock }
  | { readonly range: RangeDescriptor };

/** Items per batch. */
export const batchSize = 512;
/** Steps until a batch is put out with what there is, perhaps nothing: its reader lets others work then. */
export const batchSteps = 4096;
