/** What a remote authenticator answers. */
import type { AccessKey } from '@srv/kernel';

export interface Authenticator {
  /**
   * Name of the user here; `undefined` when the pair is refused.
   * @throws SrvError `unavailable` when it cannot find out.
   */
  authenticate(pair: AccessKey): Promise<string | undefined>;
}
