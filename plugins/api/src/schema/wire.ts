/** Objects of the API as they travel. Field names are a contract with existing clients. */
import { flag, integer, list, mapOf, optional, oneOf, record, text } from './field.js';
import type { Out } from './field.js';

/** Unix seconds. */
export const seconds = integer();
export const metadata = mapOf(text());

export const repository = record({
  id: text(),
  creation_date: seconds,
  default_branch: text(),
  storage_id: optional(text()),
  storage_namespace: text(),
  read_only: optional(flag()),
});

export const refObject = record({ id: text(), commit_id: text() });

export const commit = record({
  id: text(),
  parents: list(text()),
  committer: text(),
  message: text(),
  creation_date: seconds,
  meta_range_id: text(),
  metadata: optional(metadata),
  generation: optional(integer()),
  version: optional(integer({ min: 0, max: 1 })),
});

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

/** RFC 3339. */
export const timestamp = text();

/** The answer to what goes on behind it. */
export const taskCreation = record({ id: text() });
export const taskFields = { task_id: text(), completed: flag(), update_time: timestamp, error: optional(record({ message: text() })) };

/** Tables that hold the refs of a repository. */
export const refsDump = record({ commits_meta_range_id: text(), tags_meta_range_id: text(), branches_meta_range_id: text() });

export const mergeResult = record({ reference: text() });
export const errorBody = record({ message: text() });
export const storageUri = record({ location: text() });

export const user = record({ id: text(), creation_date: seconds, friendly_name: optional(text()), email: optional(text()) });
export const group = record({ id: text(), name: optional(text()), description: optional(text()), creation_date: seconds });
export const credential = record({ access_key_id: text(), creation_date: seconds });
export const credentialWithSecret = record({ access_key_id: text(), secret_access_key: text(), creation_date: seconds });

export const statement = record({
  effect: oneOf('allow', 'deny'),
  resource: text(),
  action: list(text(), { min: 1 }),
  condition: optional(mapOf(mapOf(list(text())))),
});
export const policy = record({ id: text(), creation_date: optional(seconds), statement: list(statement, { min: 1 }) });

export const pullRequest = record({
  id: text(),
  creation_date: text(),
  author: text(),
  source_branch: text(),
  destination_branch: text(),
  status: oneOf('open', 'closed', 'merged'),
  title: text(),
  description: text(),
  merged_commit_id: optional(text()),
  closed_date: optional(text()),
});

export const stagingLocation = record({
  physical_address: optional(text()),
  presigned_url: optional(text()),
  presigned_url_expiry: optional(seconds),
});

export const branchProtectionRule = record({ pattern: text({ filled: true, problem: 'must not be empty' }) });

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
  blockstore_id: optional(text()),
  blockstore_description: optional(text()),
});

export const versionConfig = record({
  version: optional(text()),
  version_context: optional(text()),
  latest_version: optional(text()),
  upgrade_recommended: optional(flag()),
  upgrade_url: optional(text()),
});

export type ObjectStats = Out<typeof objectStats>;
export type Repository = Out<typeof repository>;
export type Ref = Out<typeof refObject>;
export type Commit = Out<typeof commit>;
export type Diff = Out<typeof diff>;
export type User = Out<typeof user>;
export type Group = Out<typeof group>;
export type Policy = Out<typeof policy>;
export type Statement = Out<typeof statement>;
export type Credential = Out<typeof credential>;
export type CredentialWithSecret = Out<typeof credentialWithSecret>;
export type PullRequest = Out<typeof pullRequest>;
export type StorageConfig = Out<typeof storageConfig>;
