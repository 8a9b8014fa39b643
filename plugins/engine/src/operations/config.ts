/** What clients need to know about this server. */

import { SrvError } from '@srv/kernel';
import { empty, everything, flag, integer, json, list, may, oneOf, operation, optional, record, text } from '@srv/lib-api';
import { clientName } from '@srv/lib-api/http';
import { storageConfig, versionConfig } from './wire.js';
import type { OperationContext, Out } from '@srv/lib-api';
import type { BlockStore, NamedStore } from '@srv/lib-stores/block';
import type { StorageConfig, VersionConfig } from './wire.js';

const customViewer = record({ name: text(), url: text(), extensions: optional(list(text())), content_types: optional(list(text())) });
const commitField = record({
  key: text(),
  label: optional(text()),
  kind: oneOf('text', 'date'),
  required: flag(),
  values: list(text()),
});
const uiConfig = record({
  custom_viewers: optional(list(customViewer)),
  commit_fields: optional(list(commitField)),
  archive_enabled: optional(flag()),
});
const config = record({
  version_config: optional(versionConfig),
  storage_config: optional(storageConfig),
  storage_config_list: optional(list(storageConfig)),
  ui_config: optional(uiConfig),
  // `async_ops`: commits and merges in the background are offered; `actions: false`: action files of repositories are not run;
  // `iceberg_query`: queries are run.
  capabilities_config: optional(record({ async_ops: optional(flag()), iceberg_query: optional(flag()), actions: optional(flag()) })),
});

/** Field names and their odd spelling are a contract; strict clients need every flag and pattern. */
function presentStorage({ services }: OperationContext, { info }: Pick<BlockStore, 'info'>): StorageConfig {
  return {
    blockstore_type: info.type,
    blockstore_namespace_example: info.namespaceExample,
    blockstore_namespace_ValidityRegex: info.namespacePattern,
    default_namespace_prefix: services.get('api').defaultNamespacePrefix ?? info.defaultNamespacePrefix,
    pre_sign_support: info.preSign,
    pre_sign_support_ui: info.preSignUi,
    import_support: info.importSupported,
    import_validity_regex: info.importPattern,
    pre_sign_multipart_upload: info.preSignMultipart,
    client_multipart_upload: info.clientMultipart ?? false,
    blockstore_id: '',
    blockstore_description: '',
  };
}

/** Of the store that holds what bears no storage id; the only one has no id itself. */
function presentDefault(context: OperationContext): StorageConfig {
  const block = context.services.get('block');
  const found = block.stores?.find(({ isDefault }) => isDefault);
  return found === undefined ? presentStorage(context, block) : presentNamed(context, found);
}

function presentNamed(context: OperationContext, { id, description, store }: NamedStore): StorageConfig {
  return { ...presentStorage(context, store), blockstore_id: id, blockstore_description: description };
}

/** Where there are several block stores, each of them. */
function presentStores(context: OperationContext): StorageConfig[] {
  const { stores = [] } = context.services.get('block');
  return stores.map(named => presentNamed(context, named));
}

function presentRelease({ services }: OperationContext): VersionConfig {
  const { version, latestVersion, upgradeRecommended, upgradeUrl, alerts } = services.get('api').release();
  return {
    version,
    version_context: 'lakeFS',
    latest_version: latestVersion,
    upgrade_recommended: upgradeRecommended,
    upgrade_url: upgradeUrl,
    alerts: alerts?.map(({ id, description, affectedVersions, patchedVersions }) => ({
      id,
      description,
      affected_versions: affectedVersions,
      patched_versions: patchedVersions,
    })),
  };
}

/** Strict clients do not know these fields, so they appear only when they have a value. */
function presentPage({ services }: OperationContext): Out<typeof uiConfig> {
  const fields = services.find('commitFields') ?? [];
  return {
    custom_viewers: services.find('customViewers') ?? [],
    archive_enabled: true,
    commit_fields: fields.length === 0 ? undefined : fields,
  };
}

/** What is not offered is absent. */
function presentCapabilities({ services }: OperationContext) {
  return {
    async_ops: true,
    ...(services.find('canQuery')?.() ? { iceberg_query: true } : {}),
    ...(services.get('api').runsActions() ? {} : { actions: false }),
  };
}

export const configOperations = {
  healthCheck: operation({
    operationId: 'healthCheck',
    method: 'GET',
    path: '/healthcheck',
    tag: 'healthCheck',
    summary: 'Answers when the server does',
    access: 'public',
    status: 204,
    result: empty,
    handler: () => undefined,
  }),

  getConfig: operation({
    operationId: 'getConfig',
    method: 'GET',
    path: '/config',
    tag: 'config',
    summary: 'Storage, version and capabilities of this server',
    status: 200,
    result: json(config),
    handler: context => ({
      storage_config: presentDefault(context),
      storage_config_list: presentStores(context),
      version_config: presentRelease(context),
      ui_config: presentPage(context),
      capabilities_config: presentCapabilities(context),
    }),
  }),

  getStorageConfig: operation({
    operationId: 'getStorageConfig',
    method: 'GET',
    path: '/config/storage',
    tag: 'internal',
    summary: 'Storage of this server',
    deprecated: true,
    status: 200,
    result: json(storageConfig),
    permission: () => may('fs:ReadConfig', everything),
    handler: presentDefault,
  }),

  getLakeFSVersion: operation({
    operationId: 'getLakeFSVersion',
    method: 'GET',
    path: '/config/version',
    tag: 'internal',
    summary: 'Version of this server',
    deprecated: true,
    status: 200,
    result: json(versionConfig),
    handler: presentRelease,
  }),

  postStatsEvents: operation({
    operationId: 'postStatsEvents',
    method: 'POST',
    path: '/statistics',
    tag: 'internal',
    summary: 'Report events of a client, for statistics',
    body: record({ events: list(record({ class: text(), name: text(), count: integer() })) }),
    status: 204,
    result: empty,
    handler: ({ services, user, headers }, { body }) => {
      for (const event of body.events) {
        if (event.class === '') throw new SrvError('invalid', 'invalid value: class is required');
        if (event.name === '') throw new SrvError('invalid', 'invalid value: name is required');
        if (event.count < 0) throw new SrvError('invalid', 'invalid value: count must be a non-negative integer');
      }
      const client = clientName(headers);
      for (const event of body.events) services.get('api').count({ ...event, user: user.username, client, reported: true });
    },
  }),
};
