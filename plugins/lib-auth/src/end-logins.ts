/** Changes after which earlier logins of a user no longer count: a new password, a deactivation, a deletion. */
import type { Sessions } from './sessions.js';
import type { SignIns } from './sign-ins.js';

interface Logins {
  readonly sessions: Sessions;
  readonly signIns: SignIns;
}

/**
 * Makes such a change. The sessions of the user end before it, so that none is left if this server ends right after it, and
 * again after it, with those that began meanwhile.
 */
export async function endLogins({ sessions, signIns }: Logins, username: string, change: () => Promise<unknown>): Promise<void> {
  await sessions.revoke(username);
  // Also what fails may have been written.
  await change().finally(() => signIns.forget());
  await sessions.revoke(username);
}
