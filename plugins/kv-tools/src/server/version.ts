/** `srv kv version`: whether this release reads what the database holds. */

import { withStore } from './store.js';
import type { ServerCommandContext } from '@srv/lib-commands';

const place = { partition: 'kv-internal-metadata', key: Buffer.from('kv/schema/version') };

export interface SchemaReport {
  readonly text: string;
  readonly readable: boolean;
}

export async function schemaVersion(context: ServerCommandContext): Promise<SchemaReport> {
  return withStore(context, async (kv, { hooks }) => {
    const stored = await kv.get(place.partition, place.key);
    if (!stored) return { text: 'not set up: the database holds no schema version', readable: true };
    const judged = hooks.describeRecord.call(place.partition, { key: place.key, value: stored.value }) as
      | { readonly stored: string; readonly known: string; readonly state: string }
      | undefined;
    if (!judged) return { text: `schema version ${stored.value.toString('utf8')}; no enabled plugin knows it`, readable: false };
    return {
      text: `schema version ${judged.stored}, this release reads ${judged.known}: ${judged.state}`,
      readable: judged.state === 'current',
    };
  });
}
