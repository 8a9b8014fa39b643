/**
 * Runs a commit and a comparison of made-up records in memory, so that the first real ones find compiled code. Runs in a
 * worker.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MetarangeCursor, PageCursor, apply, diff } from '../algorithms/index.js';
import { TableReader, TableWriter, descriptorOf, encodeDescriptor, encodeStaged, memoryFile } from '../format/index.js';
import { fromStaged } from '../staged-changes.js';
import { pack, unpack } from './packing.js';
import type { Change, Output } from '../algorithms/index.js';
import type { TableSummary } from '../format/index.js';

const records = 2000;
const pageRecords = 250;
/** One record in this many is changed. */
const step = 40;

/** @returns how many differences it found. */
export async function warmUp(): Promise<number> {
  const tables = new Map<string, TableReader>();
  const open = (id: string): TableReader => tables.get(id) ?? new TableReader(memoryFile(id, Buffer.alloc(0)));
  const cursor = (id: string): MetarangeCursor => new MetarangeCursor(id === '' ? undefined : open(id), open);
  const written = (type: string, fill: (writer: TableWriter) => void): TableSummary => {
    const chunks: Buffer[] = [];
    const writer = new TableWriter(bytes => chunks.push(Buffer.from(bytes)), { type });
    fill(writer);
    const summary = writer.finish();
    tables.set(summary.id, new TableReader(memoryFile(summary.id, Buffer.concat(chunks))));
    return summary;
  };
  const commit = async (base: string, changes: readonly Change[]): Promise<string> => {
    const outputs: Output[] = [];
    for await (const batch of apply(cursor(base), await PageCursor.open(pagesOf(changes)))) {
      outputs.push(...batch);
      // Real work goes first.
      await nextTurn();
    }
    const range = written('ranges', writer => {
      for (const output of outputs) add(writer, output);
    });
    return written('metaranges', writer => writer.add(range.maxKey, encodeDescriptor(descriptorOf(range)))).id;
  };
  const all = Array.from({ length: records }, (_, i) => rowOf(i, 0));
  const first = await commit('', all);
  const second = await commit(
    first,
    all.flatMap((_, i) => (i % step === 0 ? [rowOf(i, 1)] : [])),
  );
  let differences = 0;
  for await (const page of diff(cursor(first), cursor(second))) differences += page.length;
  return differences;
}

function add(writer: TableWriter, output: Output): void {
  if ('key' in output) writer.add(output.key, output.value);
  else if ('block' in output) {
    const { reader, handle } = output.block;
    const block = reader.dataBlock(handle, false);
    for (block.first(); block.valid; block.next()) writer.add(block.key, block.value);
  }
}

/** A staged row. */
function rowOf(i: number, version: number): { readonly key: Buffer; readonly value: Buffer } {
  const identity = Buffer.alloc(32, `${i} ${version}`);
  const data = Buffer.from(`as long as a usual entry: its address, its size, its modification time and its ETag ${i} ${version}`);
  const key = Buffer.from(`warm-up/${String(i).padStart(8, '0')}`);
  return { key, value: encodeStaged(key, { identity, data }) };
}

async function* pagesOf(changes: readonly Change[]): AsyncGenerator<readonly Change[]> {
  for (let at = 0; at < changes.length; at += pageRecords) yield unpack(pack(changes.slice(at, at + pageRecords))).map(fromStaged);
}
