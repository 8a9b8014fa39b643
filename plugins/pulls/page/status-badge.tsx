/** Open, closed or merged. */
import type { PullRequest } from './shapes.js';

export function StatusBadge({ status }: Pick<PullRequest, 'status'>) {
  return <span class={`badge ${status === 'open' ? 'added' : status === 'merged' ? 'accent' : ''}`}>{status}</span>;
}
