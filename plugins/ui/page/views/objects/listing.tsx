/** The rows of a folder. */

import { Button, grouped, later } from '@srv/lib-page/page';
import { isPattern } from '../../../src/model/path-pattern.js';
import { EmptyFolder } from './empty-folder.js';
import { useFilteredRows } from './filtered-rows.js';
import { ListingRows } from './listing-rows.js';
import type { Pages } from '@srv/lib-page/page';
import type { Row } from '../../../src/model/overlay.js';
import type { Selection } from '../../core/selection.js';
import type { ListedObject } from './listed-object.js';

const FoundObjects = later(() => import('./found-objects.js').then(module => module.FoundObjects));

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
  readonly selection: Selection<ListedObject>;
  readonly onChanged: () => void;
  readonly onUpload: () => void;
}

export function Listing(props: ListingProps) {
  return isPattern(props.filter) ? <FoundObjects {...props} /> : <FolderListing {...props} />;
}

function FolderListing(props: ListingProps) {
  const { pages, rows, filter } = props;
  const shown = useFilteredRows(props);
  return (
    <>
      {filter !== '' && (
        <div class="card-head small" role="status">
          {grouped(shown.length)} of {grouped(rows.length)} names contain “{filter}”{pages.state === 'more' ? ', still searching…' : ''}
          <Button kind="plain" icon="close" label="Clear the filter" onClick={() => props.onFilter('')} />
        </div>
      )}
      <ListingRows {...props} shown={shown} empty={<EmptyFolder {...props} />} />
    </>
  );
}
