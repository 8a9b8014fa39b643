/** What is above the list of branches. */
import { Button, Check, Search, usePlace } from '@srv/lib-page/page';

interface BranchesToolbarProps {
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
  /** Why branches cannot be created or deleted. */
  readonly off: { readonly create: string | undefined; readonly delete: string | undefined };
  /** Branches that are ticked. */
  readonly ticked: number;
  readonly onReload: () => void;
  readonly onDelete: () => void;
  readonly onCreate: () => void;
}

export function BranchesToolbar({ filter, onFilter, off, ticked, onReload, onDelete, onCreate }: BranchesToolbarProps) {
  const place = usePlace();
  return (
    <div class="toolbar">
      <Search label="Find a branch" value={filter} onInput={onFilter} />
      <Check label="Show hidden" checked={place.query['show_hidden'] === 'true'} onChange={on => place.vary({ show_hidden: on })} />
      <span class="spread group">
        {ticked > 0 && (
          <Button kind="danger" icon="trash" off={off.delete} onClick={onDelete}>
            Delete {ticked}
          </Button>
        )}
        <Button kind="plain" icon="refresh" label="Refresh" onClick={onReload} />
        <Button kind="primary" icon="plus" off={off.create} onClick={onCreate}>
          Create Branch
        </Button>
      </span>
    </div>
  );
}
