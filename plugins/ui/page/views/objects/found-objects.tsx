/** What a pattern finds in a folder and all folders below it. */
import { Button, Empty, grouped, messageOf } from '@srv/lib-page/page';
import { useMemo } from 'preact/hooks';
import { ListingRows } from './listing-rows.js';
import { useFoundObjects } from './use-found-objects.js';
import type { ListingProps } from './listing.js';

export function FoundObjects(props: ListingProps) {
  const { repository, ref_: ref, folder, filter } = props;
  const found = useFoundObjects(repository, ref, folder, filter);
  const { items, state, looked, error } = found;
  const rows = useMemo(() => items.map(item => ({ path: item.path, path_type: item.path_type, item })), [items]);
  const isOver = state === 'whole' || state === 'failed';
  return (
    <>
      <div class="card-head small" role="status">
        <span class="grow">
          {grouped(items.length)} of {grouped(looked)} {looked === 1 ? 'object matches' : 'objects match'} “{filter}”
          {state === 'searching' && ', still searching…'}
          {state === 'waiting' && ', there are more to look at'}
          {state === 'failed' && `: ${messageOf(error)}`}
        </span>
        {state === 'searching' && (
          <Button icon="close" onClick={found.stop}>
            Stop
          </Button>
        )}
        {(state === 'waiting' || state === 'failed') && (
          <Button icon="search" onClick={found.more}>
            {state === 'failed' ? 'Try again' : 'Search on'}
          </Button>
        )}
        <Button kind="plain" icon="close" label="Clear the filter" onClick={() => props.onFilter('')} />
      </div>
      <ListingRows
        {...props}
        shown={rows}
        pages={{ state: items.length === 0 && state === 'searching' ? 'loading' : 'whole', more: found.more }}
        empty={
          <Empty icon="search" title={isOver ? 'No object matches' : 'Nothing found so far'}>
            <p>
              <code>*.csv</code> finds names in all folders below this one, <code>{'2024/**/*.csv'}</code> paths; <code>?</code> is any one
              character.
            </p>
          </Empty>
        }
      />
    </>
  );
}
