/** What a caller may read of work that failed after its request was answered. */
import { isSrvError, messageOf } from '@srv/kernel';
import type { ErrorCode, Logger } from '@srv/kernel';

/** Faults of this program or its surroundings, whose texts are for its log alone. */
const faults: readonly ErrorCode[] = ['internal', 'corrupt', 'config', 'plugin'];

/**
 * The error's own text, or where to find it. For an error that a fault has caused, such as a damaged file of a dump, the
 * fault is logged, too.
 * @param id of the work, by which the log names it.
 */
export function failureText(error: unknown, id: string, log: Logger): string {
  const isRefusal = isSrvError(error) && !faults.includes(error.code);
  const fault = isRefusal ? error.cause : error;
  if (!isRefusal || isSrvError(fault, ...faults)) log.error({ id, error: messageOf(fault) }, 'a task failed');
  if (isRefusal) return error.message;
  const what = isSrvError(error, 'corrupt') ? 'stored data cannot be read' : 'internal error';
  return `${what}; the server's log has details under ${id}`;
}
