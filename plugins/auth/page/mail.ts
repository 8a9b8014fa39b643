/** What the server does by mail. */
import { ask, useAsync } from '@srv/lib-page/page';

interface Capabilities {
  readonly invite_user?: boolean;
  readonly forgot_password?: boolean;
}

/** Nothing until the server has said so. */
export function useCapabilities(): Capabilities {
  const found = useAsync(async signal => (await ask('getAuthCapabilities', {}, { signal })) as Capabilities, []);
  return found.state === 'ready' ? found.value : {};
}
