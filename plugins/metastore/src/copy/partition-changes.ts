/** What has to happen to the partitions of a table so that they are those of another one. */
import { partitionName } from '../tables.js';
import type { Partition } from '../tables.js';

interface PartitionChanges {
  /** Only in the source. */
  readonly added: readonly Partition[];
  /** In both, with another time of last access or another number of columns; as in the source. */
  readonly altered: readonly Partition[];
  /** Only in the target. */
  readonly dropped: readonly Partition[];
}

export async function compareAll(
  source: AsyncIterable<readonly Partition[]>,
  target: AsyncIterable<readonly Partition[]>,
): Promise<PartitionChanges> {
  const [ours, theirs] = [await byValues(source), await byValues(target)];
  const added: Partition[] = [];
  const altered: Partition[] = [];
  for (const [values, partition] of ours) {
    const other = theirs.get(values);
    if (!other) added.push(partition);
    else if (isDifferent(partition, other)) altered.push(partition);
  }
  return { added, altered, dropped: [...theirs].filter(([values]) => !ours.has(values)).map(([, partition]) => partition) };
}

/** In the order of their names, which two partitions may share. */
async function byValues(pages: AsyncIterable<readonly Partition[]>): Promise<ReadonlyMap<string, Partition>> {
  const found: { readonly name: string; readonly partition: Partition }[] = [];
  for await (const page of pages) for (const partition of page) found.push({ name: partitionName(partition), partition });
  found.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return new Map(found.map(({ partition }) => [JSON.stringify(partition.values ?? []), partition]));
}

function isDifferent(a: Partition, b: Partition): boolean {
  return (a.lastAccessTime ?? 0) !== (b.lastAccessTime ?? 0) || (a.sd?.cols?.length ?? 0) !== (b.sd?.cols?.length ?? 0);
}
