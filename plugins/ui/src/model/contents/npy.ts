/** The header of an array of NumPy (format: NEP 1, numpy.lib.format). */
import type { ByteSource } from '@srv/lib-records/tables/byte-source';
import type { FileContents } from './contents-format.js';

const mostHeader = 1024 * 1024;

const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

export async function readNpy(source: ByteSource): Promise<FileContents> {
  const start = await source.read(0, Math.min(source.size, 12));
  const place = headerPlace(start);
  if (!place) throw new Error('this is not a file of NumPy');
  const [from, to] = place;
  if (to - from > mostHeader || to > source.size) throw new Error('the header of this file is damaged');
  const { shape, type, order } = factsIn(await source.read(from, to));
  return { columns: ['shape', 'type', 'order', 'bytes'], rows: [[shape, type, order, source.size - to]], facts: [], isCut: false };
}

interface ArrayFacts {
  readonly shape: string;
  readonly type: string;
  readonly order: string;
}

/** @param head the first bytes of a file. @returns `undefined` for what is not of NumPy, or has a longer header. */
export function npyFacts(head: Uint8Array): ArrayFacts | undefined {
  const place = headerPlace(head);
  return place && place[1] <= head.length ? factsIn(head.subarray(...place)) : undefined;
}

/** Where the header begins and ends. */
function headerPlace(start: Uint8Array): readonly [from: number, to: number] | undefined {
  if (start.length < 10 || !magic.every((byte, i) => start[i] === byte)) return undefined;
  const view = new DataView(start.buffer, start.byteOffset, start.byteLength);
  if (start[6] === 1 || start.length < 12) return [10, 10 + view.getUint16(8, true)];
  return [12, 12 + view.getUint32(8, true)];
}

function factsIn(bytes: Uint8Array): ArrayFacts {
  const header = new TextDecoder().decode(bytes);
  const of = (pattern: RegExp): string => pattern.exec(header)?.[1]?.trim() ?? '';
  return {
    shape: of(/'shape':\s*(\([^)]{0,1000}\))/),
    type: of(/'descr':\s*'([^']{0,100})'/) || of(/'descr':\s*(\[[^\]]{0,10000}\])/),
    order: of(/'fortran_order':\s*(True|False)/) === 'True' ? 'Fortran (columns first)' : 'C (rows first)',
  };
}
