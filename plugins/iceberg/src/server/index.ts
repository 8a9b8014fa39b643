/** The plugin: takes requests to the catalog, and gives the S3 gateway its folder. What answers is loaded with the first request. */
import { definePlugin, messageOf } from '@srv/kernel';
import section from '../config.js';
import icebergOperations from '../operations.js';
import { claimed } from './claim.js';
import { errorAnswer, isRefusedCommit } from './errors.js';
import { tablesOf } from './event-tables.js';
import { partition } from './idempotency.js';
import { tableAt } from './names.js';
import { folderName, folderPrefix } from './storage/table-files.js';
import type { FileCollection, ObjectConflict, ObjectMerge } from '@srv/engine/contract';
import type {} from '@srv/http/contract';
import type { Credentials } from '@srv/kernel';
import type { CatalogTables } from '@srv/lib-records/tables/catalog-tables';
import type {} from '@srv/lib-stores/block';
import type { Catalog } from '../contract.js';
import type { TemporaryKeys } from './credentials.js';
import type { Door } from './door.js';

interface Opened extends Catalog {
  readonly door: Door;
  readonly keys: TemporaryKeys;
  readonly catalogTables: CatalogTables;
  mergeObject(conflict: ObjectConflict): Promise<ObjectMerge | undefined>;
  collectFiles(collection: FileCollection): Promise<void>;
  close(): Promise<void>;
}

export default definePlugin({
  name: 'iceberg',
  apply(kernel) {
    const { services, hooks } = kernel;
    let isEnabled: boolean | undefined;
    const enabled = (): boolean => (isEnabled ??= kernel.config.values(section.keys)['features.iceberg_catalog']);
    let opened: Promise<Opened> | undefined;
    const open = async (): Promise<Opened> => {
      const { openCatalog } = await import('./open.js');
      const config = kernel.config.values(section.keys);
      return openCatalog({
        engine: services.get('engine'),
        identity: services.get('identity'),
        block: services.get('block'),
        signingKey: services.get('api').signingKey,
        tokenDuration: config['iceberg_catalog.token_duration'],
        count: activity => hooks.activity.call(activity),
        kv: services.get('kv'),
        log: kernel.log,
        offeredTables: () => services.find('systemTables') ?? {},
        remotes: config['iceberg_catalog.remotes'] ?? [],
        locations: config['iceberg.locations'] === 'store' ? 'store' : 'gateway',
        commitsEach: config['iceberg.commit'] === 'each',
      });
    };
    const whenOpen = (): Promise<Opened> => (opened ??= open());

    hooks.operations.tap('iceberg', table => {
      if (enabled()) table.add('iceberg', icebergOperations);
    });
    hooks.start.tap('iceberg', () => {
      services.provide('iceberg', { open: whenOpen });
      if (enabled()) services.provide('catalogTables', { find: async (...table) => (await whenOpen()).catalogTables.find(...table) });
      const engine = services.get('engine');
      engine.hooks.mergeObject.tapPromise('iceberg', async conflict => {
        if (!enabled() || !tableAt(conflict.path)) return undefined;
        return (await whenOpen()).mergeObject(conflict);
      });
      engine.hooks.collectFiles.tapPromise('iceberg', async collection => (await whenOpen()).collectFiles(collection));
    });
    hooks.describeEvent.tapPromise('iceberg', async (event, add) => {
      const tables = enabled() ? await tablesOf(services.get('engine'), event) : undefined;
      if (tables) add({ tables });
    });
    hooks.partitions.tapPromise('iceberg', async (_, found) => found(partition));
    hooks.gatewayFolder.tap('iceberg', add => {
      if (enabled()) add(folderName, folderPrefix);
    });
    hooks.authenticate.for('signature').tapPromise('iceberg', async credentials => {
      if (!enabled() || !isTemporary(credentials)) return undefined;
      return (await whenOpen()).keys.userOf(credentials);
    });
    hooks.stop.tapPromise('iceberg', async () => (await opened)?.close());
    hooks.rawRequest.tap('iceberg', raw => {
      const path = enabled() ? claimed((raw.request.url ?? '').split('?', 1)[0] ?? '') : undefined;
      if (!path) return undefined;
      void services.get('http').serve(raw, {
        service: 'iceberg',
        handle: async exchange => (await whenOpen()).door.handle(exchange, path),
        failed(error, shown) {
          if (isRefusedCommit(error, shown.status))
            kernel.log.error({ error: messageOf(error) }, 'a commit was refused because of a fault');
          return errorAnswer(error, shown);
        },
      });
      return true;
    });
  },
});

function isTemporary(credentials: Credentials): credentials is Extract<Credentials, { kind: 'signature' }> {
  return credentials.kind === 'signature' && credentials.sessionToken !== undefined;
}
