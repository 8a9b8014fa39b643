/** Names of key-value partitions. */
import { randomUUID } from 'node:crypto';
import type { Repository } from '../contract.js';

/** Partition that holds everything of one incarnation of a repository. */
export function partitionOf({ id, instanceUid }: Repository): string {
  return `${id}-${instanceUid}`;
}

/** A partition for new writes to a branch. */
export function newStagingToken(repository: Repository, branch: string): string {
  return `${repository.id}-${branch}:${randomUUID()}`;
}
