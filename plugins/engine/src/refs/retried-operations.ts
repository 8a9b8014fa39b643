/** Updates that are tried again. */
import type { Retries } from '@srv/lib-records';

/** What is tried again when another one wins; `follow_branch`: a write whose branch got a new staging partition. */
export const retriedOperations = [
  'update_branch',
  'follow_branch',
  'stage_entry',
  'add_commit',
  'move_tag',
  'update_repository_metadata',
  'move_repository',
] as const;
type RetriedOperation = (typeof retriedOperations)[number];

export type RefRetries = Retries<RetriedOperation>;
