/** CSV and TSV as a table. */

import { Alert, With, useAsync } from '@srv/lib-page/page';
import { useMemo } from 'preact/hooks';
import { parseDelimited } from '../../../src/model/delimited.js';
import { decodeText } from '../../../src/model/text-encoding.js';
import { readHead } from '../../core/content.js';
import { DataTable } from './data-table.js';
import type { ShownObject } from '@srv/lib-page/page';
import type { DecodedText } from '../../../src/model/text-encoding.js';

const most = 2 * 1024 * 1024;
const mostRows = 5000;

export function DelimitedView({ object }: { readonly object: ShownObject }) {
  const text = useAsync(
    async signal => {
      const head = await readHead(object, most, signal);
      return { ...decodeText(head.bytes, head.cut), cut: head.cut };
    },
    [object.url],
  );
  return <With answer={text}>{found => <Parsed {...found} />}</With>;
}

function Parsed({ text, encoding, cut }: DecodedText & { readonly cut: boolean }) {
  const table = useMemo(() => parseDelimited(text, mostRows), [text]);
  // The last row of a part is a part of a row.
  const rows = cut && !table.cut ? table.rows.slice(0, -1) : table.rows;
  return (
    <>
      {encoding === 'windows-1252' && <Alert kind="note">The text is not UTF-8; it is shown as Windows-1252.</Alert>}
      <DataTable columns={table.columns.map(name => ({ name }))} rows={rows} whole={!cut && !table.cut} />
    </>
  );
}
