/** What the engine says of a query, for its author. */
import { readersFor, withAddresses } from '@srv/lib-records/tables/sql/engine-sql';
import { tableFormats } from './files.js';
import type { QueryFiles } from './files.js';

const ofParser = 'Failed to extract statements: ';
/** Around the name of a file that is not one of the query. */
const [beforeName, afterName] = ['Permission Error: Cannot access file "', '" - file system operations are disabled'];

export function refusalText(message: string, { folder, addresses }: Pick<QueryFiles, 'folder' | 'addresses'>): string {
  const text = message.startsWith(ofParser) ? message.slice(ofParser.length) : message;
  const end = text.startsWith(beforeName) ? text.indexOf(afterName) : -1;
  const name = end < 0 ? '' : text.slice(beforeName.length, end);
  if (name.startsWith('srv://') || name.startsWith('lakefs://'))
    return `${name} was not recognized as a table where it stands: write ${readersFor(name, tableFormats)} there`;
  return withAddresses(text.replaceAll(`${folder}/`, ''), addresses);
}
