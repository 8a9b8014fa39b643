/** The header of an array of NumPy (format: NEP 1, numpy.lib.format). */
import type { ByteSource } from '@srv/lib-records/tables/byte-source';
import type { FileContents } from './contents-format.js';

const mostHeader = 1024 * 1024;

export async function readNpy(source: ByteSource): Promise<FileContents> {
  const start = await source.read(0, Math.min(source.size, 12));
  const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
  if (start.length < 10 || !magic.every((byte, i) => start[i] === byte)) throw new Error('this is not a file of NumPy');
  const view = new DataView(start.buffer);
  const isFirst = start[6] === 1;
  const length = isFirst || start.length < 12 ? view.getUint16(8, true) : view.getUint32(8, true);
  const from = isFirst ? 10 : 12;
  if (length > mostHeader || from + length > source.size) throw new Error('the header of this file is damaged');
  const header = new TextDecoder().decode(await source.read(from, from + length));
  const of = (pattern: RegExp): string => pattern.exec(header)?.[1]?.trim() ?? '';
  const shape = of(/'shape':\s*(\([^)]{0,1000}\))/);
  const type = of(/'descr':\s*'([^']{0,100})'/) || of(/'descr':\s*(\[[^\]]{0,10000}\])/);
  const order = of(/'fortran_order':\s*(True|False)/) === 'True' ? 'Fortran (columns first)' : 'C (rows first)';
  return {
    columns: ['shape', 'type', 'order', 'bytes'],
    rows: [[shape, type, order, source.size - from - length]],
    facts: [],
    isCut: false,
  };
}
