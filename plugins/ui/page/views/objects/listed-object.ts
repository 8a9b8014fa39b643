/** What a listing shows of an object or a folder. */
export interface ListedObject {
  readonly path: string;
  readonly path_type: 'common_prefix' | 'object';
  readonly size_bytes?: number | undefined;
  readonly mtime: number;
}
