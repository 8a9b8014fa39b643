/** The caller, as comments and approvals name people. */
import type { OperationContext } from '@srv/lib-api';
import type { Author } from '../contract.js';

export const authorOf = ({ user, committer }: Pick<OperationContext, 'user' | 'committer'>): Author => ({
  username: user.username,
  committer,
});
