import { TableWriter } from '../../src/tables/format/index.js';

/** A table of these records, in memory. */
export function writeAll(records: Iterable<readonly [Buffer, Buffer]>, properties: Record<string, string>) {
  const chunks: Buffer[] = [];
  const writer = new TableWriter(bytes => chunks.push(Buffer.from(bytes)), properties);
  for (const [key, value] of records) writer.add(key, value);
  const summary = writer.finish();
  return { summary, bytes: Buffer.concat(chunks) };
}
