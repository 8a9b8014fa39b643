/** The two sides, and what can be done with them. */
import { ActionButtons, Button, Check, RefPicker, Wide, branchResource, shownName, useDenial, usePlace } from '@srv/lib-page/page';

interface CompareToolbarProps {
  readonly repository: string;
  readonly base: string;
  readonly compared: string;
  /** The compared side is a branch, and may have something uncommitted. */
  readonly mayBeDirty: boolean;
  readonly withUncommitted: boolean;
  /** Why nothing can be merged. */
  readonly off: string | undefined;
  readonly onReload: () => void;
  readonly onMerge: () => void;
}

export function CompareToolbar({ repository, base, compared, mayBeDirty, withUncommitted, off, ...on }: CompareToolbarProps) {
  const place = usePlace();
  const mayNotMerge = useDenial('fs:CreateCommit', branchResource(repository, base));
  return (
    <div class="toolbar">
      <RefPicker
        repository={repository}
        value={base}
        label="Base branch: "
        onPick={picked => place.vary({ ref: picked, prefix: undefined })}
      />
      <Button
        kind="plain"
        icon="swap"
        label="Swap the sides"
        onClick={() => place.vary({ ref: compared, compare: base, prefix: undefined })}
      />
      <RefPicker
        repository={repository}
        value={compared}
        label="Compared to branch: "
        onPick={picked => place.vary({ compare: picked, prefix: undefined })}
      />
      {mayBeDirty && (
        <Check
          label={
            <>
              <Wide>With what is </Wide>uncommitted<Wide> on {shownName(compared)}</Wide>
            </>
          }
          checked={withUncommitted}
          onChange={checked => place.vary({ uncommitted: checked, prefix: undefined })}
        />
      )}
      <span class="spread group">
        <Button kind="plain" icon="refresh" label="Refresh" onClick={on.onReload} />
        <ActionButtons place="compare" about={{ repository, base, compare: compared }} off={off} />
        <Button kind="primary" icon="merge" off={off ?? mayNotMerge} onClick={on.onMerge}>
          Merge
        </Button>
      </span>
    </div>
  );
}
