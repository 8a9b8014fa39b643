/** One changed path. */
export interface Change {
  readonly type: 'added' | 'removed' | 'changed' | 'conflict' | 'prefix_changed';
  readonly path: string;
  readonly path_type: 'common_prefix' | 'object';
  readonly size_bytes?: number | undefined;
}
