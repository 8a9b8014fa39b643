/** The tables of a folder, and of those below it, as one table. */
import { Alert, Empty, With, call, counted, useAsync } from '@srv/lib-page/page';
import { mostParts, tableParts } from '../../../src/model/table-parts.js';
import { allOf } from '../../core/all-pages.js';
import { TableView } from '../table/table-view.js';
import type { NamedFile } from '../../../src/model/table-parts.js';

interface FolderTableProps {
  readonly repository: string;
  readonly ref_: string;
  /** With a trailing slash; empty for the root. */
  readonly folder: string;
}

export function FolderTable({ repository, ref_: ref, folder }: FolderTableProps) {
  const found = useAsync(
    async signal => {
      const files: NamedFile[] = [];
      const load = (after: string) =>
        call('listObjects', { repository, ref, prefix: folder, after, amount: 1000, user_metadata: false }, { signal });
      for await (const some of allOf(load)) {
        files.push(...some.map(({ path, size_bytes: size = 0, content_type: contentType = '' }) => ({ path, size, contentType })));
        if (files.length > mostParts * 4) break;
      }
      return tableParts(files, folder);
    },
    [repository, ref, folder],
  );
  return (
    <With answer={found}>
      {({ format, parts, others, isCut }) =>
        format === undefined ? (
          <Empty icon="file" title="No tables are in this folder">
            <p>Parquet, CSV, TSV, lines of JSON, Arrow and Avro are shown as one table.</p>
          </Empty>
        ) : (
          <>
            {(others > 0 || isCut) && (
              <Alert kind="note">
                {isCut && `These are the first ${counted(parts.length, 'file')}. `}
                {others > 0 && `${counted(others, 'file')} of another format ${others === 1 ? 'is' : 'are'} left out.`}
              </Alert>
            )}
            <TableView object={{ repository, ref, path: folder, size: parts.reduce((sum, { size }) => sum + size, 0), format, parts }} />
          </>
        )
      }
    </With>
  );
}
