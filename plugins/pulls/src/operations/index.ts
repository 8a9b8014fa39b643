/** All operations on pull requests. */
import { approvalOperations } from './approvals.js';
import { commentOperations } from './comments.js';
import { pullOperations } from './pull-requests.js';
import { settingsOperations } from './settings.js';

/** Operations by id. */
type PullOperations = typeof pullOperations & typeof commentOperations & typeof approvalOperations & typeof settingsOperations;

const operations: PullOperations = { ...pullOperations, ...commentOperations, ...approvalOperations, ...settingsOperations };

export default operations;

declare module '@srv/lib-api' {
  interface Operations extends PullOperations {}
}
