/** The entries of a range file, by column. Blocks while it works: threads call it. */
import { TableReader, decodeValue } from '@srv/engine/tables/format';
import { SrvError } from '@srv/kernel/errors';
import { ColumnsWriter } from '../format/columns-writer.js';

/**
 * The index file of a range.
 * @param count entries that the metarange says there are.
 * @throws SrvError `corrupt` when there are more or fewer, or when the range or an entry does not decode.
 */
export function columnsOfRange(range: Buffer, name: string, count: number): Buffer {
  const reader = new TableReader({ name, size: range.length, read: (offset, length) => range.subarray(offset, offset + length) });
  const writer = new ColumnsWriter();
  const cursor = reader.cursor();
  for (cursor.first(); cursor.valid; cursor.next()) writer.add(cursor.key, decodeValue(cursor.value).data);
  if (writer.count !== count) throw new SrvError('corrupt', `range ${name} has ${writer.count} records, but its metarange says ${count}`);
  return writer.finish();
}
