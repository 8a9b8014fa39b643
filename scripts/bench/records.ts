/** Records of a realistic shape: keys of 60 to 120 bytes, values of about 150. */
import { createHash } from 'node:crypto';
import { encodeValue } from '@srv/engine/tables/format';

export function recordKey(i: number): Buffer {
  const part = String(Math.floor(i / 1000)).padStart(6, '0');
  return Buffer.from(
    `datasets/images/train/part-${part}/class-${part.slice(3)}/image-${String(i).padStart(9, '0')}${'-copy'.repeat(i % 9)}.jpeg`,
  );
}

/** @param version another one gives another identity. */
export function recordValue(i: number, version = 0): Buffer {
  const hash = createHash('sha256').update(`${i} ${version}`).digest();
  const data = Buffer.from(
    `\n2data/gfk2f8tpocvs73ftd1qg/coddo7tpocvs73ft${String(i).padStart(8, '0')}\u0012\u0006${hash.toString('hex', 0, 16)}application/octet-stream`,
  );
  return encodeValue({ identity: hash, data });
}

/** Pages of changes that set `count` records, `step` apart. */
export async function* recordChanges(
  count: number,
  { from = 0, step = 1, version = 0 } = {},
): AsyncGenerator<{ key: Buffer; value: Buffer }[]> {
  for (let i = 0; i < count; i += 1000) {
    yield Array.from({ length: Math.min(1000, count - i) }, (_, j) => {
      const n = from + (i + j) * step;
      return { key: recordKey(n), value: recordValue(n, version) };
    });
  }
}
