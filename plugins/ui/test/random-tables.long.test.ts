/** Random files written by PyArrow, and Avro written by hand, cell by cell. */
import { join } from 'node:path';
import { it } from 'node:test';
import { scratchFolder, seededRandom } from '@srv/kernel/testing';
import { findPython, runPython } from '@srv/test-servers/python';
import { assertRead, testFolder } from './table-reading.js';

const python = findPython('pyarrow');

for (const [format, count] of [
  ['parquet', 12],
  ['arrow', 10],
  ['avro', 10],
] as const)
  it(`shows random tables of ${format} as they are stored`, {
    skip: python === undefined && 'needs a Python with pyarrow (SRV_TEST_PYTHON)',
  }, async () => {
    const random = seededRandom();
    for (let i = 0; i < count; i++) {
      const path = join(scratchFolder(), `${i}.${format}`);
      const seed = String(random.below(1_000_000));
      await runPython(python ?? '', [join(testFolder, 'random-tables.py'), path, seed, String(1 + i * 7), format]);
      await assertRead(path, format);
    }
  });
