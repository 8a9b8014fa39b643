import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { commitId, decodeBranch, decodeCommit, decodeTag, encodeBranch, encodeCommit, encodeTag } from '@srv/engine/refs/messages';
import { TableReader, decodeValue, encodeValue, memoryFile, userProperty } from '@srv/engine/tables/format';
import { dumpProperties } from '../../src/objects/messages/refs-dump.js';

interface DumpVector {
  readonly id_metadata: Readonly<Record<string, string>>;
  readonly records_hex: readonly (readonly [string, string])[];
}

const golden = new URL('../../../test/tables/vectors/vectors.json', import.meta.url);
const { files } = JSON.parse(readFileSync(golden, 'utf8')) as { files: Readonly<Record<string, DumpVector>> };

/** Decodes and encodes a record's data again. */
const recode = {
  commit: (data: Buffer) => encodeCommit(decodeCommit(data)),
  branch: (data: Buffer) => encodeBranch(decodeBranch(data)),
  tag: (data: Buffer) => encodeTag(decodeTag(data)),
};

describe('golden refs dumps', () => {
  for (const entity of ['commit', 'branch', 'tag'] as const) {
    it(entity, () => {
      const { id_metadata, records_hex } = files[`generated/refs-${entity}.range.sst`] ?? assert.fail(entity);
      assert.deepEqual({ ...dumpProperties(entity), type: 'ranges' }, id_metadata);
      for (const [, value] of records_hex) {
        const { identity, data } = decodeValue(Buffer.from(value, 'hex'));
        assert.equal(encodeValue({ identity, data: recode[entity](data) }).toString('hex'), value);
      }
    });
  }

  it('metaranges say what they hold', () => {
    for (const entity of ['commit', 'branch', 'tag']) {
      const name = `generated/refs-${entity}.metarange.sst`;
      const reader = new TableReader(memoryFile(name, readFileSync(new URL(name, golden))));
      assert.deepEqual([reader.property(userProperty.entity), reader.property(userProperty.type)], [entity, 'metaranges']);
    }
  });

  it('commit ids are those of their content', () => {
    for (const [key, value] of files['generated/refs-commit.range.sst']?.records_hex ?? []) {
      const commit = decodeCommit(decodeValue(Buffer.from(value, 'hex')).data);
      assert.equal(commit.id, Buffer.from(key, 'hex').toString());
      if (commit.id !== commitId(commit)) assert.equal(commit.version, 1, 'only made-up vectors may differ');
    }
  });
});
