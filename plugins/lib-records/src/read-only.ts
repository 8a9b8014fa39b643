/** Repositories that take no changes, as every change treats them. */
import { SrvError } from '@srv/kernel';

interface Changeable {
  readonly id: string;
  readonly readOnly: boolean;
  /** A move to another storage namespace that is about to end. */
  readonly frozenBy?: string;
}

/** @throws SrvError `read_only`, unless the change is forced; `moving` while the repository moves. */
export function checkWritable(repository: Changeable, { force = false }: { readonly force?: boolean | undefined } = {}): void {
  const { id, readOnly, frozenBy } = repository;
  if (frozenBy !== undefined) throw isMoving(id);
  if (readOnly && !force) throw new SrvError('read_only', 'read-only repository', { details: { repository: id } });
}

/** What a change is answered that the move of its repository to another storage namespace has overtaken. */
export function isMoving(repository: string): SrvError {
  return new SrvError(
    'moving',
    `repository ${repository} is moving to another storage namespace and takes no changes meanwhile; repeat the operation in a minute, ` +
      `or see the move with cli repo move-storage srv://${repository} --status`,
    { details: { repository } },
  );
}
