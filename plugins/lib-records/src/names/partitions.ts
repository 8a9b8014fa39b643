/** Names of key-value partitions. */
import { randomUUID } from 'node:crypto';

/** What partitions of a repository are named by. */
interface Incarnation {
  readonly id: string;
  readonly instanceUid: string;
}

/** Partition that holds everything of one incarnation of a repository. */
export function partitionOf({ id, instanceUid }: Incarnation): string {
  return `${id}-${instanceUid}`;
}

/** A partition for new writes to a branch. */
export function newStagingToken(repository: Pick<Incarnation, 'id'>, branch: string): string {
  return `${repository.id}-${branch}:${randomUUID()}`;
}

/** Whether the name is one {@link partitionOf} makes. */
export function isRepositoryPartition(partition: string): boolean {
  return /^.+-[0-9a-v]{19}[0g]$/.test(partition);
}

/** Whether the name is a staging token. */
export function isStagingToken(partition: string): boolean {
  return /:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(partition);
}
