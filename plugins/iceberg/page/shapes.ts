/** Tables as the API describes them. Integers of 64 bits are texts. */

export interface TableName {
  readonly namespace: readonly string[];
  readonly name: string;
}

interface Counts {
  readonly records?: string;
  readonly data_files?: string;
}

export interface TableSnapshot extends Counts {
  readonly snapshot_id: string;
  readonly parent_snapshot_id?: string;
  /** Seconds since 1970. */
  readonly creation_date: number;
  readonly operation?: string;
}

export interface ShownTable extends TableName {
  readonly table_uuid: string;
  readonly format_version: number;
  readonly location: string;
  readonly metadata_location: string;
  readonly fields: readonly { readonly id: number; readonly name: string; readonly type: string; readonly required: string }[];
  readonly partitioned_by: readonly string[];
  readonly properties: Readonly<Record<string, string>>;
  readonly current_snapshot_id?: string;
  readonly snapshots: readonly TableSnapshot[];
}

export interface TableChange extends TableName {
  readonly type: 'added' | 'removed' | 'changed' | 'conflict';
  readonly records_before?: string;
  readonly records_after?: string;
  readonly data_files_before?: string;
  readonly data_files_after?: string;
  /** Why a merge would not merge the table. */
  readonly conflict?: string;
}

/** As operations and addresses name it. */
export function fullName({ namespace, name }: TableName): string {
  return [...namespace, name].join('.');
}

/** As policies name it. */
export function tableResource(repository: string, { namespace, name }: TableName): string {
  return `arn:lakefs:catalog:::table/${repository}/${namespace.join('.')}/${name}`;
}

/** Path of the object that says where the table's metadata is: its commits are those of the table. */
export function pointerPath({ namespace, name }: TableName): string {
  return `_lakefs_tables/iceberg/namespaces/${namespace.map(escaped).join('.')}/tables/${escaped(name)}`;
}

/** Bytes other than ASCII letters and digits, `_` and `-` as `%XX`. */
function escaped(text: string): string {
  return Array.from(new TextEncoder().encode(text), byte => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9_-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}
