/**
 * Writes of what belongs to records that others may delete meanwhile: keys of a user, members of a group. A deletion marks the
 * record before it removes what belongs to it ({@link Table.beginDeletion}). So what was written while the record had no mark goes
 * with it, and what was written later is taken back here: nothing is left for the next record of the name.
 */
import type { SrvError } from '@srv/kernel';

/** A record that something is to belong to. */
export interface Owner {
  /** What distinguishes the record from a later one of the name. @throws SrvError `not_found` when it is missing or being deleted. */
  identity(): Promise<number>;
  missing(): SrvError;
}

/**
 * @param takeBack removes what `write` wrote.
 * @throws SrvError `not_found` when an owner is missing, or is deleted before the write is done.
 */
export async function writeOwned<T>(
  owners: readonly Owner[],
  write: () => Promise<T>,
  takeBack: (written: T) => Promise<void>,
): Promise<T> {
  const before: number[] = [];
  for (const owner of owners) before.push(await owner.identity());
  const written = await write();
  try {
    for (const [i, owner] of owners.entries()) if ((await owner.identity()) !== before[i]) throw owner.missing();
  } catch (error) {
    await takeBack(written);
    throw error;
  }
  return written;
}
