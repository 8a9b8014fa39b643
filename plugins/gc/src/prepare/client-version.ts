/** Versions of foreign collectors, as they send them in the header `X-Lakefs-Client`. */
import { SrvError } from '@srv/kernel';

/** Earlier ones take objects of 6 hours for old, while an address can be linked for 24. */
const oldest = [0, 20, 0] as const;

/** @throws SrvError `invalid` for a collector that would delete what can still be linked. */
export function refuseOldClient(header: string | undefined): void {
  const [, version = ''] = /^lakefs-metaclient\/(\d+\.\d+(?:\.\d+)?)/.exec(header ?? '') ?? [];
  if (version === '') return;
  const numbers = version.split('.').map(Number);
  for (const [i, least] of oldest.entries()) {
    const number = numbers[i] ?? 0;
    if (number > least) return;
    if (number < least)
      throw new SrvError(
        'invalid',
        `the Spark client ${version} would delete uploads that can still be linked: it takes objects of 6 hours for old, addresses are valid for 24; use version ${oldest.join('.')} or later, or set gc.accept_old_clients if its age limit is raised`,
      );
  }
}
