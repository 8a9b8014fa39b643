/** A server process with a query that does not end and a kept table, until it is killed. */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { until } from '@srv/kernel/testing';
import { startSrv } from '@srv/test-servers';
import { TableCache } from '../src/server/table-cache.js';
import { isSpilling } from './stalled-engine.js';
import type {} from '../src/contract.js';

const config = JSON.parse(process.argv[2] ?? '') as Readonly<Record<'sql_engine.dir' | 'sql_engine.installed_in', string>>;
// The parent is gone.
process.once('disconnect', () => process.exit(1));

const folder = config['sql_engine.dir'];
const { kernel } = await startSrv({ plugins: ['sql-engine'], config });
const table = join(dirname(folder), `table-${process.pid}`);
writeFileSync(table, 'rows');
await new TableCache({ folder, limit: 1_000_000, log: kernel.log }).keep('a table', table);
const query = kernel.services.get('sqlEngine').query({ sql: 'SELECT 1', format: 'json', decide: async () => ({ allowed: true }) });
await Promise.race([
  query.then(
    () => process.send?.('the query ended'),
    (error: unknown) => process.send?.(String(error)),
  ),
  until(() => isSpilling(folder, process.pid)).then(() => process.send?.('ready')),
]);
