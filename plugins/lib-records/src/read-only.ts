/** Read-only repositories, as every change treats them. */
import { SrvError } from '@srv/kernel';

/** @throws SrvError `read_only`, unless the change is forced. */
export function checkWritable(
  { id, readOnly }: { readonly id: string; readonly readOnly: boolean },
  { force = false }: { readonly force?: boolean } = {},
): void {
  if (readOnly && !force) throw new SrvError('read_only', 'read-only repository', { details: { repository: id } });
}
