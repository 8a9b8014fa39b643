/** What the columns of a large CSV or TSV object are like, where the server computes it: then the object is not fetched for it. */
import { rowsOnServer, send, serverRunsQueries, useAsync } from '@srv/lib-page/page';
import { canSummarize, delimitedObject, summarizeDelimited } from '@srv/lib-records/tables/column-statistics';
import type { AsyncData } from '@srv/lib-page/page';
import type { ColumnSummary } from '@srv/lib-records/tables/column-summary';
import type { TableObject } from '@srv/lib-records/tables/table-protocol';

/** Bytes that show how the object is read. */
const headSize = 256 * 1024;

/** By number of the column; `undefined` where the server cannot. @param columns how many there are; 0: it is not asked. */
export function useServerSummaries(object: TableObject, columns: number): AsyncData<readonly ColumnSummary[] | undefined> {
  const { repository, ref, path } = object;
  return useAsync(
    async signal => {
      if (object.format !== 'delimited' || object.parts || !canSummarize({ path, columns })) return undefined;
      if (!(await serverRunsQueries(signal))) return undefined;
      const head = await send('getObject', { repository, ref, path, Range: `bytes=0-${headSize - 1}` }, { signal });
      const delimited = delimitedObject(object, columns, new Uint8Array(await head.arrayBuffer()));
      if (!delimited) return undefined;
      return summarizeDelimited(delimited, async sql => {
        const [row] = await rowsOnServer(sql, { signal });
        return row ?? {};
      });
    },
    [repository, ref, path, columns],
  );
}
