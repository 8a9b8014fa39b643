/** Records of a sorted table as rows of text, by the kind of table that its properties name. */

import { decodeEntry } from '../objects/entry-record.js';
import { decodeBranch, decodeCommit, decodeTag } from '../refs/messages/index.js';
import { TableReader, decodeDescriptor, decodeValue, memoryFile, userProperty } from '../tables/format/index.js';
import type { RecordValue } from '../tables/format/index.js';

export interface TableRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

interface TableKind {
  readonly columns: readonly string[];
  /** @param record the framed value, for kinds that need it whole. */
  row(key: Buffer, value: RecordValue, record: Buffer): string[];
}

const metaranges: TableKind = {
  columns: ['range_id', 'min_key', 'max_key', 'count', 'estimated_size'],
  row: (_key, _value, record) => {
    const { id, minKey, maxKey, count, estimatedSize } = decodeDescriptor(record);
    return [id, minKey.toString(), maxKey.toString(), String(count), String(estimatedSize)];
  },
};

/** Kinds of ranges, by the `entity` property; entries have none. */
const ranges: Readonly<Record<string, TableKind>> = {
  '': {
    columns: ['path', 'identity', 'size', 'etag', 'last_modified', 'address', 'metadata'],
    row: (key, { identity, data }) => {
      const { size, etag, lastModified, address, metadata } = decodeEntry(data);
      return [key.toString(), identity.toString('hex'), String(size), etag, lastModified.toISOString(), address, JSON.stringify(metadata)];
    },
  },
  commit: {
    columns: ['commit_id', 'committer', 'message', 'creation_date', 'metadata', 'parents', 'metarange_id', 'version', 'generation'],
    row: (_key, { data }) => {
      const c = decodeCommit(data);
      return [
        c.id,
        c.committer,
        c.message,
        c.creationDate.toISOString(),
        JSON.stringify(c.metadata),
        JSON.stringify(c.parents),
        c.metarangeId,
        String(c.version),
        String(c.generation),
      ];
    },
  },
  branch: {
    columns: ['branch_id', 'commit_id'],
    row: (_key, { data }) => {
      const { id, commitId } = decodeBranch(data);
      return [id, commitId];
    },
  },
  tag: {
    columns: ['tag_id', 'commit_id'],
    row: (_key, { data }) => {
      const { id, commitId } = decodeTag(data);
      return [id, commitId];
    },
  },
};

/**
 * @param amount records at most; negative: all.
 * @throws Error for a table of another kind, SrvError `corrupt` for a damaged one.
 */
export function readTableRows(bytes: Buffer, name: string, amount: number): TableRows {
  const reader = new TableReader(memoryFile(name, bytes));
  const { columns, row } = kindOf(reader);
  const rows: string[][] = [];
  const cursor = reader.cursor();
  for (cursor.first(); cursor.valid && (amount < 0 || rows.length < amount); cursor.next())
    rows.push(row(cursor.key, decodeValue(cursor.value), cursor.value));
  return { columns, rows };
}

function kindOf(reader: TableReader): TableKind {
  const type = reader.property(userProperty.type);
  if (type === undefined) throw new Error(`${reader.name}: could not determine sstable file type`);
  if (type === 'metaranges') return metaranges;
  const kind = type === 'ranges' ? ranges[reader.property(userProperty.entity) ?? ''] : undefined;
  if (!kind) throw new Error(`${reader.name}: unknown sstable file type: ${type} ${reader.property(userProperty.entity) ?? ''}`.trimEnd());
  return kind;
}
