/** Random Parquet files written by PyArrow, cell by cell. */
import { join } from 'node:path';
import { it } from 'node:test';
import { scratchFolder, seededRandom } from '@srv/kernel/testing';
import { findPython, runPython } from '@srv/test-servers/python';
import { assertRead, testFolder } from './parquet-reading.js';

const python = findPython('pyarrow');

it('shows random tables of PyArrow as they are stored', {
  skip: python === undefined && 'needs a Python with pyarrow (SRV_TEST_PYTHON)',
}, async () => {
  const random = seededRandom();
  for (let i = 0; i < 12; i++) {
    const path = join(scratchFolder(), `${i}.parquet`);
    await runPython(python ?? '', [join(testFolder, 'random-parquet.py'), path, String(random.below(1_000_000)), String(1 + i * 7)]);
    await assertRead(path);
  }
});
