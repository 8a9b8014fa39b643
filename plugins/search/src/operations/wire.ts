/** Objects of the operations as they travel. */
import { flag, integer, list, metadata, oneOf, optional, record, seconds, text } from '@srv/lib-api';

/** The names are those of listings, and of the columns of the table of objects. */
export const foundObject = record({
  path: text(),
  commit_id: optional(text()),
  committer: optional(text()),
  size_bytes: integer(),
  mtime: seconds,
  checksum: text(),
  content_type: optional(text()),
  metadata: optional(metadata),
});

const state = record({ size_bytes: integer(), checksum: text() });

export const journalEntry = record({
  commit_id: text(),
  committer: text(),
  time: seconds,
  path: text(),
  operation: oneOf('added', 'changed', 'removed'),
  before: optional(state),
  after: optional(state),
});

export const prefixUsage = record({
  path: text(),
  path_type: oneOf('common_prefix', 'object'),
  objects: integer(),
  size_bytes: integer(),
  unique_objects: integer(),
  unique_size_bytes: integer(),
});

export const searchSettings = record({ branches: list(text()) });

export const searchStatus = record({
  patterns: list(text()),
  branches: list(record({ branch: text(), commit_id: text(), indexed: flag() })),
  waiting_commits: integer(),
});
