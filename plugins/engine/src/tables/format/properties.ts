/** The properties block: a fixed list of system properties and the user's own (format.md section 3). */
import { writeVarint } from '@srv/lib-records/protobuf';
import { BlockBuilder } from './block-builder.js';

/** What a finished table states about itself. Sizes in bytes. */
export interface TableFacts {
  readonly dataSize: number;
  readonly indexSize: number;
  /** Set when the index has two levels. */
  readonly partitions?: { readonly count: number; readonly topLevelSize: number };
  readonly dataBlocks: number;
  readonly entries: number;
  /** Keys without prefix compression, trailers included. */
  readonly rawKeySize: number;
  readonly rawValueSize: number;
}

export const indexTypeProperty = 'rocksdb.block.based.table.index.type';
export const indexType = { single: 0, twoLevel: 2 } as const;

const compressionOptions = 'window_bits=-14; level=32767; strategy=0; max_dict_bytes=0; zstd_max_train_bytes=0; enabled=0; ';

/** User properties of tables of this product. */
export const userProperty = {
  type: 'type',
  entity: 'entity',
  minKey: 'min_key',
  maxKey: 'max_key',
  count: 'count',
  estimatedSize: 'estimated_size_bytes',
} as const;

/** The uncompressed properties block; names in byte order, one restart. */
export function encodeProperties(facts: TableFacts, user: ReadonlyMap<string, Buffer>): Buffer {
  const all = new Map<string, Buffer>([...systemProperties(facts), ...user]);
  const names = [...all.keys()].map(name => Buffer.from(name, 'utf8')).sort(Buffer.compare);
  const block = new BlockBuilder(Number.MAX_SAFE_INTEGER);
  for (const name of names) block.add(name, all.get(name.toString('utf8')) ?? Buffer.alloc(0));
  return block.finish();
}

function systemProperties(facts: TableFacts): [string, Buffer][] {
  const { partitions } = facts;
  return [
    [indexTypeProperty, uint32(partitions ? indexType.twoLevel : indexType.single)],
    ['rocksdb.block.based.table.prefix.filtering', text('0')],
    ['rocksdb.block.based.table.whole.key.filtering', text('0')],
    ['rocksdb.column.family.id', varint(2147483647)],
    ['rocksdb.comparator', text('leveldb.BytewiseComparator')],
    ['rocksdb.compression', text('Snappy')],
    ['rocksdb.compression_options', text(compressionOptions)],
    ['rocksdb.creation.time', varint(0)],
    ['rocksdb.data.size', varint(facts.dataSize)],
    ['rocksdb.deleted.keys', varint(0)],
    ['rocksdb.external_sst_file.global_seqno', Buffer.alloc(8)],
    ['rocksdb.external_sst_file.version', uint32(2)],
    ['rocksdb.filter.size', varint(0)],
    ['rocksdb.fixed.key.length', varint(0)],
    ['rocksdb.format.version', varint(0)],
    ['rocksdb.index.key.is.user.key', varint(0)],
    ...(partitions ? [['rocksdb.index.partitions', varint(partitions.count)] as [string, Buffer]] : []),
    ['rocksdb.index.size', varint(facts.indexSize)],
    ['rocksdb.index.value.is.delta.encoded', varint(0)],
    ['rocksdb.merge.operands', varint(0)],
    ['rocksdb.merge.operator', text('pebble.concatenate')],
    ['rocksdb.num.data.blocks', varint(facts.dataBlocks)],
    ['rocksdb.num.entries', varint(facts.entries)],
    ['rocksdb.num.range-deletions', varint(0)],
    ['rocksdb.oldest.key.time', varint(0)],
    ['rocksdb.prefix.extractor.name', text('nullptr')],
    ['rocksdb.property.collectors', text('[static]')],
    ['rocksdb.raw.key.size', varint(facts.rawKeySize)],
    ['rocksdb.raw.value.size', varint(facts.rawValueSize)],
    ...(partitions ? [['rocksdb.top-level.index.size', varint(partitions.topLevelSize)] as [string, Buffer]] : []),
  ];
}

function text(value: string): Buffer {
  return Buffer.from(value, 'utf8');
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function varint(value: number): Buffer {
  const bytes = Buffer.alloc(10);
  return bytes.subarray(0, writeVarint(bytes, 0, value));
}
