/** An object or a folder of a listing. */
import { Icon, Size, Time, objectOf, objectsOf, shownName } from '@srv/lib-page/page';
import { kindIcon } from '../../../src/model/kind-icon.js';
import { nameBelow } from '../../../src/model/name-below.js';
import { BlameCell, blameIsOn } from './blame-cell.js';
import { RowMenu } from './row-menu.js';
import type { Row } from '../../../src/model/overlay.js';
import type { Selection } from '../../core/selection.js';
import type { ListedObject } from './listed-object.js';
import type { RowAction } from './row-menu.js';

interface ListingRowProps {
  readonly repository: string;
  readonly ref_: string;
  readonly folder: string;
  readonly row: Row<ListedObject>;
  readonly off: string | undefined;
  readonly isBranch: boolean;
  readonly selection: Selection<ListedObject>;
  readonly onAct: (action: RowAction) => void;
}

export function ListingRow({ folder, selection, ...props }: ListingRowProps) {
  const { repository, ref_, row } = props;
  const { item, mark, path } = row;
  const isFolder = row.path_type === 'common_prefix';
  const name = shownName(nameBelow(folder, path));
  return (
    <div class={`row objects-row ${blameIsOn.value ? 'with-blame' : ''} ${mark ?? ''}`} role="row">
      <span role="cell">
        {item && (
          <input
            type="checkbox"
            aria-label={`Select ${name}`}
            checked={selection.has(item)}
            onChange={event => selection.toggle(item, event.currentTarget.checked)}
          />
        )}
      </span>
      <span role="cell" class="cell-name">
        <Icon name={isFolder ? 'folder' : kindIcon(path)} class={isFolder ? 'folder' : ''} />
        {item ? (
          <a href={(isFolder ? objectsOf : objectOf)(repository, ref_, path)} title={shownName(path)}>
            <bdi class="name">{name}</bdi>
          </a>
        ) : (
          <bdi class="name">{name}</bdi>
        )}
        {mark && <span class={`badge ${mark}`}>{mark}</span>}
      </span>
      {blameIsOn.value && (
        <span role="cell" class="wide-only muted small one-line blame">
          {mark === 'added' || !item ? 'uncommitted' : <BlameCell repository={repository} ref_={ref_} path={path} />}
        </span>
      )}
      <span role="cell" class="end muted">
        {item?.path_type === 'object' && <Size bytes={item.size_bytes ?? 0} />}
      </span>
      <span role="cell" class="end muted wide-only">
        {item?.path_type === 'object' && <Time seconds={item.mtime} />}
      </span>
      <span role="cell">{item && <RowMenu {...props} name={name} />}</span>
    </div>
  );
}
