/** What is in a folder: its rows, or the tables in it as one. */
import { later, usePlace } from '@srv/lib-page/page';
import { PathBar } from '../../parts/path-bar.js';
import { Listing } from './listing.js';
import type { ListingProps } from './listing.js';

const FolderTable = later(() => import('./folder-table.js').then(module => module.FolderTable));
const Pictures = later(() => import('./pictures.js').then(module => module.Pictures));
const BulkBar = later(() => import('./bulk-bar.js').then(module => module.BulkBar));

export function FolderCard(props: ListingProps) {
  const { selection, onChanged } = props;
  const { view } = usePlace().query;
  return (
    <div class="card">
      <div class="card-head">
        <PathBar {...props} />
      </div>
      {view === 'table' ? (
        <FolderTable {...props} />
      ) : view === 'pictures' ? (
        <Pictures {...props} />
      ) : (
        <>
          {selection.count > 0 && <BulkBar {...props} items={selection.items} onDone={onChanged} onClear={selection.clear} />}
          <Listing {...props} />
        </>
      )}
    </div>
  );
}
