/** A commit as the API takes and shows it. */
import { flag, optional, record, text, withDefault } from './schema/field.js';
import { givenSeconds, metadata } from './schema/shapes.js';
import { toSeconds } from './time.js';
import type { Commit } from './schema/shapes.js';

/** What a commit is to be. */
export const commitBody = record({
  message: text(),
  metadata: optional(metadata),
  date: optional(givenSeconds),
  allow_empty: withDefault(flag(), false),
  force: withDefault(flag(), false),
});

/** The engine's record of a commit, as far as it is shown. */
export interface CommitRecord {
  readonly id: string;
  readonly parents: readonly string[];
  readonly committer: string;
  readonly message: string;
  readonly creationDate: Date;
  readonly metarangeId: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly generation: number;
  readonly version: number;
}

export function presentCommit(commit: CommitRecord): Commit {
  return {
    id: commit.id,
    parents: [...commit.parents],
    committer: commit.committer,
    message: commit.message,
    creation_date: toSeconds(commit.creationDate),
    meta_range_id: commit.metarangeId,
    metadata: commit.metadata,
    generation: commit.generation,
    version: commit.version,
  };
}
