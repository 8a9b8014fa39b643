/** Operations on users, groups, policies and credentials. */
import { audited } from './audited.js';
import { explainOperations } from './explain.js';
import { groupOperations } from './groups.js';
import { policyOperations } from './policies.js';
import { setupOperations } from './setup.js';
import { terminalOperations } from './terminal.js';
import { userOperations } from './users.js';

const authOperations = audited({
  ...setupOperations,
  ...userOperations,
  ...groupOperations,
  ...policyOperations,
  ...terminalOperations,
  ...explainOperations,
});

/** Operations by id. */
export type AuthOperations = typeof authOperations;

export default authOperations;

declare module '@srv/lib-api' {
  interface Operations extends AuthOperations {}
}
