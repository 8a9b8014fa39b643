/** Rows of objects and folders, and the dialogs that their menus open. */
import { PagedRows, later, shownName, to } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { rowKey } from '../../../src/model/overlay.js';
import { ListingHead } from './listing-head.js';
import { ListingRow } from './listing-row.js';
import type { Pages } from '@srv/lib-page/page';
import type { VNode } from 'preact';
import type { Row } from '../../../src/model/overlay.js';
import type { ListedObject } from './listed-object.js';
import type { ListingProps } from './listing.js';
import type { RowAction } from './row-menu.js';

const RowDialog = later(() => import('./row-dialogs.js').then(module => module.RowDialog));

interface ListingRowsProps extends Omit<ListingProps, 'pages' | 'rows'> {
  readonly pages: Omit<Pages<unknown>, 'items' | 'reload'>;
  readonly shown: readonly Row<ListedObject>[];
  readonly empty: VNode;
}

/** Pixels. */
export const rowHeight = 38;

export function ListingRows(props: ListingRowsProps) {
  const { repository, ref_, path, pages, shown, empty, selection } = props;
  const [dialog, setDialog] = useState<{ action: RowAction; row: Row<ListedObject> }>();
  return (
    <>
      <PagedRows
        label={`Objects of ${shownName(path) || 'the root'}`}
        pages={pages}
        items={shown}
        height={rowHeight}
        empty={empty}
        head={<ListingHead shown={shown} selection={selection} />}
        row={row => <ListingRow {...props} key={rowKey(row)} row={row} onAct={action => setDialog({ action, row })} />}
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
