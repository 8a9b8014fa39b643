/** The stage of the page's tests, with the typed client. */
import { createClient } from '@srv/engine/client';
import { setPageStage } from '@srv/test-servers/page-stage';
import type { Client } from '@srv/lib-api/client';
import type { SrvOptions } from '@srv/test-servers';
import type { PageStage } from '@srv/test-servers/page-stage';

export type Stage = PageStage<Client>;

export function setStage(options: SrvOptions = {}): Promise<Stage> {
  return setPageStage(options, ({ url, key }) => createClient({ endpointUrl: url, ...key }));
}
