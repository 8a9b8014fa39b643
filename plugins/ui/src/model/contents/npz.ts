/** The arrays in an archive of NumPy (`numpy.savez`): each member is a file of NumPy, with its header at the beginning. */
import { npyFacts } from './npy.js';
import { readDirectory, zipColumns, zipRow } from './zip-directory.js';
import { memberHead } from './zip-member.js';
import type { ByteSource } from '@srv/lib-records/tables/byte-source';
import type { FileContents } from './contents-format.js';

/** Members whose headers are read: two requests each. */
const mostRead = 64;

export async function readNpz(source: ByteSource): Promise<FileContents> {
  const { members, count, isCut } = await readDirectory(source);
  const facts = await Promise.all(members.slice(0, mostRead).map(async member => npyFacts(await memberHead(source, member))));
  return {
    columns: ['name', 'shape', 'type', 'order', ...zipColumns.slice(1)],
    rows: members.map((member, i) => {
      const [name = '', ...rest] = zipRow(member);
      const { shape = null, type = null, order = null } = facts[i] ?? {};
      return [name, shape, type, order, ...rest];
    }),
    facts: [['Arrays', String(count)]],
    isCut,
  };
}
