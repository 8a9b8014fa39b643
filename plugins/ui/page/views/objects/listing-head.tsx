/** The heads of the columns of a listing. */
import { blameIsOn } from './blame-cell.js';
import type { Row } from '../../../src/model/overlay.js';
import type { Selection } from '../../core/selection.js';
import type { ListedObject } from './listed-object.js';

interface ListingHeadProps {
  readonly shown: readonly Row<ListedObject>[];
  readonly selection: Selection<ListedObject>;
}

export function ListingHead({ shown, selection }: ListingHeadProps) {
  return (
    <div class={`row head-row objects-row ${blameIsOn.value ? 'with-blame' : ''}`} role="row">
      <span role="columnheader">
        <input
          type="checkbox"
          aria-label="Select all shown"
          checked={shown.length > 0 && selection.count >= shown.length}
          onChange={event => selection.set(event.currentTarget.checked ? shown.flatMap(({ item }) => item ?? []) : [])}
        />
      </span>
      <span role="columnheader">Name</span>
      {blameIsOn.value && (
        <span role="columnheader" class="wide-only">
          Last commit
        </span>
      )}
      <span role="columnheader" class="end">
        Size
      </span>
      <span role="columnheader" class="end wide-only">
        Modified
      </span>
      <span role="columnheader">
        <span class="unseen">Actions</span>
      </span>
    </div>
  );
}
