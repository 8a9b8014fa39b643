/** The service `catalogTables`: tables as SQL reads them. */
import { SrvError } from '@srv/kernel';
import { AvroError } from '@srv/lib-records/tables/avro/error';
import { isCatalogError } from '../errors.js';
import { onTable } from '../rights.js';
import { planScan } from './plan.js';
import type { Engine } from '@srv/engine/contract';
import type { CatalogTables } from '@srv/lib-records/tables/catalog-tables';
import type { TableFiles } from '../storage/table-files.js';
import type { Tables } from '../tables.js';

interface CatalogTableSources {
  readonly engine: Pick<Engine, 'getRepository'>;
  readonly files: TableFiles;
  readonly tables: Pick<Tables, 'exists' | 'load'>;
}

export function catalogTables({ engine, files, tables }: CatalogTableSources): CatalogTables {
  return {
    async find(repository, ref, name) {
      const place = { repository, ref, namespace: name.slice(0, -1), table: name.at(-1) ?? '' };
      try {
        await tables.exists(place);
      } catch (error) {
        if (isCatalogError(error) && error.status === 404) return undefined;
        throw translated(error);
      }
      return {
        permission: onTable('ReadTable', place),
        async scan(signal) {
          try {
            const { metadata } = await tables.load(place);
            return await planScan(metadata, { repository: await engine.getRepository(repository), files, signal });
          } catch (error) {
            throw translated(error);
          }
        },
      };
    },
  };
}

/** As the rest of the server knows it. */
function translated(error: unknown): unknown {
  if (error instanceof AvroError) return new SrvError('invalid', error.message, { cause: error });
  if (!isCatalogError(error)) return error;
  return new SrvError(error.status === 404 ? 'not_found' : 'invalid', error.message, { cause: error });
}
