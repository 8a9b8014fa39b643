/** What can be asked of an object. */
export type FieldName = 'path' | 'size' | 'modified' | 'etag' | 'content_type' | 'commit_id' | 'committer';

export type Field = { readonly name: FieldName } | { readonly name: 'metadata'; readonly key: string };

/** Names of listings, of the table of objects, and short ones. */
export const fieldNames: Readonly<Record<string, FieldName>> = {
  path: 'path',
  size: 'size',
  size_bytes: 'size',
  modified: 'modified',
  mtime: 'modified',
  last_modified: 'modified',
  etag: 'etag',
  checksum: 'etag',
  content_type: 'content_type',
  commit_id: 'commit_id',
  commit: 'commit_id',
  committer: 'committer',
};

/** Words before a key of the user metadata. */
export const metadataNames: readonly string[] = ['metadata', 'user_metadata'];

/** Fields that are numbers; the others are texts. */
export function isNumeric(field: Field): field is { readonly name: 'size' | 'modified' } {
  return field.name === 'size' || field.name === 'modified';
}

/** An object as filters see it: a row of an index, or an uncommitted entry. */
export interface Row {
  /** Bytes, or milliseconds since 1970. */
  number(field: 'size' | 'modified'): number;
  /** `undefined` where the object has none. */
  text(field: Exclude<FieldName, 'size' | 'modified'>): string | undefined;
  metadata(key: string): string | undefined;
}

/** Smallest and largest values of a group of objects. */
export type Extremes = Readonly<Record<'size' | 'modified', { readonly min: number; readonly max: number }>>;
