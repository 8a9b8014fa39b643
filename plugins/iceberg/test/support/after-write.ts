/** Puts other changes between a write to the database and what its writer does next. */
import type { TestContext } from 'node:test';
import type { CatalogServer } from './server.js';

/** Path of the pointer of a table or view of the namespace `sales`. */
export const pointerPath = (name: string, kind: 'tables' | 'views' = 'tables'): string =>
  `_lakefs_tables/iceberg/namespaces/sales/${kind}/${name}`;

/** @param change runs once, when the row of an object was written to a branch, before the writer knows that it was. */
export function afterWrite(t: TestContext, { kernel }: Pick<CatalogServer, 'kernel'>, path: string, change: () => Promise<void>): void {
  const kv = kernel.services.get('kv');
  const setIf = kv.setIf.bind(kv);
  let isDone = false;
  t.mock.method(kv, 'setIf', async (...args: Parameters<typeof setIf>) => {
    const isWritten = await setIf(...args);
    if (!isWritten || isDone || args[1].toString('utf8') !== path) return isWritten;
    isDone = true;
    await change();
    return isWritten;
  });
}
