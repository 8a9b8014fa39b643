import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { TableReader, encodeValue, memoryFile } from '../../src/tables/format/index.js';
import { MemoryTables } from './memory-tables.js';
import { writeAll } from './table-writing.js';
import { goldenFile, vectors } from './vectors.js';

const derived = new Set(['min_key', 'max_key', 'count', 'estimated_size_bytes']);

/** Tables whose index was laid out by an older release of their writer, or by another program. */
const notReproducible = new Set(['lakefs/ok1.sst', 'lakefs/56569996.sst']);

function readAll(bytes: Buffer, name = 'test'): { reader: TableReader; records: [Buffer, Buffer][] } {
  const reader = new TableReader(memoryFile(name, bytes));
  const records: [Buffer, Buffer][] = [];
  const cursor = reader.cursor();
  for (cursor.first(); cursor.valid; cursor.next()) records.push([cursor.key, cursor.value]);
  return { reader, records };
}

describe('golden tables', () => {
  for (const [name, vector] of Object.entries(vectors.files)) {
    const bytes = goldenFile(name);
    it(name, { skip: bytes ? false : 'needs ../shared' }, () => {
      assert.ok(bytes);
      const { reader, records } = readAll(bytes, name);
      assert.equal(records.length, vector.records);
      assert.equal(reader.isTwoLevel, vector.two_level_index);
      for (const [property, value] of Object.entries(vector.user_properties_hex ?? {})) {
        assert.equal(reader.properties.get(property)?.toString('hex'), value, property);
      }
      for (const [i, [key, value]] of (vector.records_hex ?? []).entries()) {
        assert.deepEqual(
          records[i]?.map(b => b.toString('hex')),
          [key, value],
        );
      }
      for (const [key, value] of records) assert.deepEqual(reader.get(key), value);
      if (vector.id === undefined) return;
      const metadata = Object.fromEntries(
        [...reader.properties].filter(([p]) => !p.startsWith('rocksdb.') && !derived.has(p)).map(([p, v]) => [p, v.toString('utf8')]),
      );
      const rewritten = writeAll(records, vector.id_metadata ?? metadata);
      assert.equal(rewritten.summary.id, vector.id);
      if (notReproducible.has(name)) return;
      assert.equal(rewritten.summary.estimatedSize, vector.estimated_size_bytes ?? rewritten.summary.estimatedSize);
      assert.equal(createHash('sha256').update(rewritten.bytes).digest('hex'), createHash('sha256').update(bytes).digest('hex'));
    });
  }

  it('a LevelDB table is refused', { skip: goldenFile('pebble-testdata/h.ldb') ? false : 'needs ../shared' }, () => {
    const bytes = goldenFile('pebble-testdata/h.ldb');
    assert.ok(bytes);
    assert.throws(
      () => new TableReader(memoryFile('h.ldb', bytes)),
      error => isSrvError(error, 'corrupt') && /h\.ldb: byte \d+: expected the table magic/.test(error.message),
    );
  });

  it('ranges break and metaranges are named as golden data says', async () => {
    for (const { keys, ranges, metarange_id, ...rules } of vectors.breaks) {
      const tables = new MemoryTables({
        minSize: rules.min_range_size_bytes,
        maxSize: rules.max_range_size_bytes,
        raggedness: rules.range_raggedness_entries,
      });
      const records = Array.from({ length: keys }, (_, i): [string, Buffer] => {
        const key = Buffer.from(`key-${String(i).padStart(6, '0')}`);
        const identity = createHash('sha256').update(key).digest();
        return [key.toString('hex'), encodeValue({ identity, data: Buffer.from(`data-${identity.toString('hex')}`) })];
      });
      const id = await tables.build(new Map(records));
      const found = [];
      for (const cursor = tables.cursor(id); !cursor.done; cursor.nextRange()) {
        const { id: range, minKey, maxKey, count, estimatedSize } = cursor.range;
        found.push({ id: range, min_key: minKey.toString(), max_key: maxKey.toString(), count, estimated_size: estimatedSize });
      }
      tables.dispose();
      assert.deepEqual(found, ranges);
      assert.equal(id, metarange_id);
    }
  });
});
