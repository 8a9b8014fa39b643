/** Objects of the engine's operations as they travel. Field names are a contract with existing clients. */
import { flag, integer, list, metadata, oneOf, optional, record, seconds, text } from '@srv/lib-api';
import type { Out } from '@srv/lib-api';

export const repository = record({
  id: text(),
  creation_date: seconds,
  default_branch: text(),
  storage_id: optional(text()),
  storage_namespace: text(),
  read_only: optional(flag()),
  metadata: optional(metadata),
});

export const refObject = record({ id: text(), commit_id: text() });

export const objectStats = record({
  path: text(),
  path_type: oneOf('common_prefix', 'object'),
  physical_address: text(),
  physical_address_expiry: optional(seconds),
  checksum: text(),
  size_bytes: optional(integer()),
  mtime: seconds,
  metadata: optional(metadata),
  content_type: optional(text()),
});

export const diff = record({
  type: oneOf('added', 'removed', 'changed', 'conflict', 'prefix_changed'),
  path: text(),
  path_type: oneOf('common_prefix', 'object'),
  size_bytes: optional(integer()),
  right: optional(record({ checksum: text(), mtime: seconds, content_type: text(), metadata: optional(metadata) })),
});

/** Tables that hold the refs of a repository. */
export const refsDump = record({ commits_meta_range_id: text(), tags_meta_range_id: text(), branches_meta_range_id: text() });

export const storageUri = record({ location: text() });

export const stagingLocation = record({
  physical_address: optional(text()),
  presigned_url: optional(text()),
  presigned_url_expiry: optional(seconds),
});

export const storageConfig = record({
  blockstore_type: text(),
  blockstore_namespace_example: text(),
  blockstore_namespace_ValidityRegex: text(),
  default_namespace_prefix: optional(text()),
  pre_sign_support: flag(),
  pre_sign_support_ui: flag(),
  import_support: flag(),
  import_validity_regex: text(),
  pre_sign_multipart_upload: optional(flag()),
  client_multipart_upload: optional(flag()),
  blockstore_id: optional(text()),
  blockstore_description: optional(text()),
});

export const versionConfig = record({
  version: optional(text()),
  version_context: optional(text()),
  latest_version: optional(text()),
  upgrade_recommended: optional(flag()),
  upgrade_url: optional(text()),
  alerts: optional(
    list(record({ id: text(), description: text(), affected_versions: optional(text()), patched_versions: optional(text()) })),
  ),
});
export type VersionConfig = Out<typeof versionConfig>;

export type ObjectStats = Out<typeof objectStats>;
export type Repository = Out<typeof repository>;
export type Ref = Out<typeof refObject>;
export type Diff = Out<typeof diff>;
export type StorageConfig = Out<typeof storageConfig>;
