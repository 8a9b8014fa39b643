/** What the commands need when they run. They import it then, so that other commands of the program start without it. */
export { copyDatabase } from '../copy/copy-all.js';
export { copyPartition, copyTable } from '../copy/copy-table.js';
export { compareTables } from '../copy/difference.js';
export { copyMany } from './many-tables.js';
export { withMetastores } from './open.js';
export { readMetastoreSettings } from './settings.js';
