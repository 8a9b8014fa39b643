/** The rows of a folder. */

import { Button, PagedRows, grouped, later, shownName, to } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { EmptyFolder } from './empty-folder.js';
import { useFilteredRows } from './filtered-rows.js';
import { ListingHead } from './listing-head.js';
import { ListingRow } from './listing-row.js';
import type { Pages } from '@srv/lib-page/page';
import type { Row } from '../../../src/model/overlay.js';
import type { Selection } from '../../core/selection.js';
import type { ListedObject } from './listed-object.js';
import type { RowAction } from './row-menu.js';

const RowDialog = later(() => import('./row-dialogs.js').then(module => module.RowDialog));

export interface ListingProps {
  readonly repository: string;
  readonly ref_: string;
  readonly path: string;
  readonly folder: string;
  readonly pages: Pages<ListedObject>;
  readonly rows: readonly Row<ListedObject>[];
  readonly filter: string;
  readonly onFilter: (text: string) => void;
  readonly off: string | undefined;
  readonly isBranch: boolean;
  readonly selection: Selection;
  readonly onChanged: () => void;
  readonly onUpload: () => void;
}

/** Pixels. */
export const rowHeight = 38;

export function Listing(props: ListingProps) {
  const { repository, ref_, path, pages, rows, filter, selection } = props;
  const [dialog, setDialog] = useState<{ action: RowAction; row: Row<ListedObject> }>();
  const shown = useFilteredRows(props);
  return (
    <>
      {filter !== '' && (
        <div class="card-head small" role="status">
          {grouped(shown.length)} of {grouped(rows.length)} names contain “{filter}”{pages.state === 'more' ? ', still searching…' : ''}
          <Button kind="plain" icon="close" label="Clear the filter" onClick={() => props.onFilter('')} />
        </div>
      )}
      <PagedRows
        label={`Objects of ${shownName(path) || 'the root'}`}
        pages={pages}
        items={shown}
        height={rowHeight}
        empty={<EmptyFolder {...props} />}
        head={<ListingHead shown={shown} selection={selection} />}
        row={row => <ListingRow {...props} key={`${row.path_type} ${row.path}`} row={row} onAct={action => setDialog({ action, row })} />}
      />
      {dialog && (
        <RowDialog
          repository={repository}
          ref_={ref_}
          path={dialog.row.path}
          isFolder={dialog.row.path_type === 'common_prefix'}
          action={dialog.action}
          commitsHref={to('repositories', repository, 'commits', { ref: ref_ })}
          onClose={changed => {
            setDialog(undefined);
            if (changed) props.onChanged();
          }}
        />
      )}
    </>
  );
}
