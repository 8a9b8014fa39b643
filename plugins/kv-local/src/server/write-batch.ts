/** A record of LevelDB's logs: `<number of its first write: 8 bytes><writes: 4 bytes><writes>`, little endian (`db/write_batch.cc`). */

const countOffset = 8;
const batchHeaderBytes = 12;

/** The numbers of its first and last write; every write of a database has the number after that of the one before. */
export function writeNumbers(record: Buffer): { readonly first: bigint; readonly last: bigint } | undefined {
  if (record.length < batchHeaderBytes) return undefined;
  const first = record.readBigUInt64LE(0);
  return { first, last: first + BigInt(record.readUInt32LE(countOffset)) - 1n };
}
