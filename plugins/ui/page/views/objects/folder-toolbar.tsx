/** What stands above a folder: its ref, and what can be done with all of it. */
import { ActionButtons, Button, Icon, RefPicker, Search, Wide, usePlace } from '@srv/lib-page/page';
import { blameIsOn, toggleBlame } from './blame-cell.js';
import { ChangeButtons } from './change-buttons.js';
import type { GuardedBranch } from '@srv/lib-page/page';
import type { FolderAction } from './folder-dialog.js';

interface FolderToolbarProps {
  readonly repository: string;
  readonly ref_: string;
  readonly kind: string;
  readonly folder: string;
  readonly guarded: GuardedBranch | undefined;
  /** Why no user can change it. */
  readonly fixed: string | undefined;
  /** Why this user cannot. */
  readonly off: string | undefined;
  readonly isDirty: boolean;
  /** Files of the folder can be shown as one table. */
  readonly hasTables: boolean;
  /** Some of its files are pictures. */
  readonly hasPictures: boolean;
  readonly showsChanges: boolean;
  readonly filter: string;
  readonly onFilter: (text: string) => void;
  readonly onDialog: (action: FolderAction) => void;
  readonly onReload: () => void;
}

export function FolderToolbar(props: FolderToolbarProps) {
  const { repository, ref_: ref, kind, guarded, off, showsChanges, onDialog } = props;
  const place = usePlace();
  const { view } = place.query;
  const views = [
    { id: 'table', title: 'As One Table', icon: 'chart', isOffered: props.hasTables },
    { id: 'pictures', title: 'As Pictures', icon: 'picture', isOffered: props.hasPictures },
  ] as const;
  return (
    <div class="toolbar">
      <RefPicker
        repository={repository}
        value={ref}
        label={`${kind}: `}
        onPick={picked => place.vary({ ref: picked, showChanges: undefined })}
      />
      {guarded && (
        <span class="badge" title={guarded.detail}>
          <Icon name="lock" /> <Wide>{guarded.badge}</Wide>
        </span>
      )}
      {props.isDirty && (
        <ChangeButtons
          repository={repository}
          branch={ref}
          off={props.fixed}
          shown={showsChanges}
          onShow={() => place.vary({ showChanges: !showsChanges })}
          onCommit={() => onDialog('commit')}
          onReset={() => onDialog('reset')}
        />
      )}
      <span class="spread group one-row">
        {!showsChanges && <Search label="Find in this folder" hint="Find, or *.csv below" value={props.filter} onInput={props.onFilter} />}
        {!showsChanges && (
          <span class="wide-only">
            <Button kind="plain" icon="user" label="Last commit of each row" pressed={blameIsOn.value} onClick={toggleBlame} />
          </span>
        )}
        {!showsChanges &&
          views
            .filter(({ id, isOffered }) => isOffered || view === id)
            .map(({ id, title, icon }) => (
              <Button
                key={id}
                kind="plain"
                compact
                icon={icon}
                pressed={view === id}
                onClick={() => place.vary({ view: view === id ? undefined : id, picture: undefined })}
              >
                {title}
              </Button>
            ))}
        <Button kind="plain" icon="refresh" label="Refresh" onClick={props.onReload} />
        <ActionButtons place="objects" about={{ repository, branch: ref, folder: props.folder }} off={off} onDialog={onDialog} />
        <Button icon="upload" compact off={off} onClick={() => onDialog('upload')}>
          Upload
        </Button>
      </span>
    </div>
  );
}
