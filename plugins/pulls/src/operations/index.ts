/** All operations on pull requests. */
import { approvalOperations } from './approvals.js';
import { checkOperations } from './checks.js';
import { commentOperations } from './comments.js';
import { pullOperations } from './pull-requests.js';
import { reviewerOperations } from './reviewers.js';
import { settingsOperations } from './settings.js';

/** Operations by id. */
type PullOperations = typeof pullOperations &
  typeof commentOperations &
  typeof reviewerOperations &
  typeof checkOperations &
  typeof approvalOperations &
  typeof settingsOperations;

const operations: PullOperations = {
  ...pullOperations,
  ...commentOperations,
  ...reviewerOperations,
  ...checkOperations,
  ...approvalOperations,
  ...settingsOperations,
};

export default operations;

declare module '@srv/lib-api' {
  interface Operations extends PullOperations {}
}
