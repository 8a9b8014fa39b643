/** What a caller may read of work that failed after its request was answered. */
import { isSrvError, messageOf } from '@srv/kernel';
import type { ErrorCode, Logger } from '@srv/kernel';

/** Faults of this program or its surroundings, whose texts are for its log alone. */
const faults: readonly ErrorCode[] = ['internal', 'corrupt', 'config', 'plugin'];

/** The error's own text, or where to find it. @param id of the work, by which the log names it. */
export function failureText(error: unknown, id: string, log: Logger): string {
  if (isSrvError(error) && !faults.includes(error.code)) return error.message;
  log.error({ id, error: messageOf(error) }, 'a task failed');
  return `internal error; the server's log has details under ${id}`;
}
