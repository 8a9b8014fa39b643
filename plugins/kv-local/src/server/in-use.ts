/** Whether another process has a database open. LevelDB locks its folder as long as a process has it open. */
import { SrvError } from '@srv/kernel';
import { ClassicLevel as Level } from 'classic-level';

/**
 * An open that must fail: it takes the lock, then finds that nothing may be opened or created.
 * @throws SrvError `unavailable` when another process has the lock.
 */
export async function refuseWhileInUse(folder: string): Promise<void> {
  const db = new Level(folder, { createIfMissing: false, errorIfExists: true });
  try {
    await db.open();
    await db.close();
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (cause instanceof Error && 'code' in cause && cause.code === 'LEVEL_LOCKED') throw inUse(folder, cause);
  }
}

export function inUse(folder: string, cause?: unknown): SrvError {
  return new SrvError(
    'unavailable',
    `database.local.path: ${folder} is in use by another process; stop that process or choose another folder`,
    { cause },
  );
}
