/** Everything in a storage namespace that has no repository is about to be removed. */
export interface NamespacePurge {
  /** What addresses of its objects begin with, in every spelling; each ends with a slash. */
  readonly roots: readonly string[];
  /** When the purge began. */
  readonly since: Date;
}
