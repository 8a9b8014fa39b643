/** What is in an archive, or in a file of arrays: its members with their sizes, from headers only. */
import { Alert, With, send, useAsync } from '@srv/lib-page/page';
import { contentsFormatOf } from '../../../src/model/contents/contents-format.js';
import { readContents } from '../../../src/model/contents/file-contents.js';
import { extensionOf } from '../../../src/model/object-kind.js';
import { DataTable } from './data-table.js';
import type { ShownObject } from '@srv/lib-page/page';

export function ContentsView({ object }: { readonly object: ShownObject }) {
  const { repository, ref, path, size } = object;
  const contents = useAsync(
    async signal => {
      const format = contentsFormatOf(extensionOf(path));
      if (!format) throw new Error('Nothing is known of the contents of this kind of file.');
      return readContents(format, {
        size,
        async read(from, to) {
          if (to <= from) return new Uint8Array();
          const response = await send('getObject', { repository, ref, path, Range: `bytes=${from}-${to - 1}` }, { signal });
          return new Uint8Array(await response.arrayBuffer());
        },
      });
    },
    [object.url],
  );
  return (
    <With answer={contents}>
      {({ columns, rows, facts, note, isCut }) => (
        <>
          {note !== undefined && <Alert kind="note">{note}</Alert>}
          {isCut && <Alert kind="note">These are the first {rows.length} members.</Alert>}
          {facts.length > 0 && (
            <dl class="card-body facts">
              {facts.map(([name, value]) => (
                <div key={name}>
                  <dt class="muted small">{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          )}
          <DataTable columns={columns.map(name => ({ name }))} rows={rows} whole={!isCut} />
        </>
      )}
    </With>
  );
}
