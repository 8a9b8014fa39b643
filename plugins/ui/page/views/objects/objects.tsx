/** The browser of objects: a folder of a ref, with what is uncommitted in it. */
import { useMemo, useState } from 'preact/hooks';
import {
  ActionButtons,
  Button,
  Failed,
  Icon,
  Loading,
  Panels,
  RefPicker,
  Search,
  call,
  later,
  useAsync,
  useGuards,
  usePages,
  usePlace,
  useRefusal,
} from '@srv/lib-page/page';
import { resolveRef } from '../../core/refs.js';
import { overlay } from '../../../src/model/overlay.js';
import { ChangeButtons } from './change-buttons.js';
import { PathBar } from '../../parts/path-bar.js';
import { blameIsOn, toggleBlame } from './blame-cell.js';
import { FolderDialog } from './folder-dialog.js';
import { Listing } from './listing.js';
import { useSelection } from './selection.js';
import type { FolderAction } from './folder-dialog.js';
import type { RepositoryPlace } from '@srv/lib-page/page';

const Uncommitted = later(() => import('../changes/uncommitted.js').then(module => module.Uncommitted));
const Readme = later(() => import('./readme.js').then(module => module.Readme));
const BulkBar = later(() => import('./bulk-bar.js').then(module => module.BulkBar));

const pageSize = 1000;

export function Objects(at: RepositoryPlace) {
  const { repository, ref } = at;
  const resolved = useAsync(signal => resolveRef(repository, ref, signal), [repository, ref]);
  if (resolved.state === 'failed') return <Failed error={resolved.error} retry={resolved.reload} />;
  if (resolved.state === 'loading') return <Loading />;
  return <Folder {...at} kind={resolved.value.kind} />;
}

interface FolderProps extends RepositoryPlace {
  readonly kind: 'branch' | 'tag' | 'commit';
}

function Folder({ kind, ...at }: FolderProps) {
  const { repository, ref, readOnly } = at;
  const place = usePlace();
  const path = place.query['path'] ?? '';
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const isBranch = kind === 'branch';
  const showsChanges = isBranch && place.query['showChanges'] === 'true';
  const [dialog, setDialog] = useState<FolderAction>();
  const [dropped, setDropped] = useState<DataTransfer>();
  const [filter, setFilter] = useState('');
  const dirty = useAsync(
    async signal => isBranch && (await call('diffBranch', { repository, branch: ref, amount: 1 }, { signal })).results.length > 0,
    [repository, ref, isBranch],
  );
  const pages = usePages(
    (after, signal) =>
      call('listObjects', { repository, ref, prefix: path, delimiter: '/', after, amount: pageSize, user_metadata: false }, { signal }),
    [repository, ref, path],
  );
  const changes = useAsync(
    async signal =>
      isBranch
        ? (await call('diffBranch', { repository, branch: ref, prefix: path, delimiter: '/', amount: pageSize }, { signal })).results
        : [],
    [repository, ref, path, isBranch],
  );
  const rows = useMemo(
    () => overlay(pages.items, changes.state === 'ready' ? changes.value : [], pages.state === 'whole'),
    [pages.items, pages.state, changes.state === 'ready' && changes.value],
  );
  const selection = useSelection([repository, ref, path]);
  const reload = (): void => {
    selection.clear();
    dirty.reload();
    pages.reload();
    changes.reload();
  };
  const guarded = useGuards(repository, isBranch ? ref : undefined);
  const refused = useRefusal('uploadObjectPreflight', isBranch && !readOnly ? { repository, branch: ref, path: `${path}new` } : undefined);
  const fixed = !isBranch ? `a ${kind} cannot be changed; choose a branch` : readOnly ? 'this repository is read-only' : guarded?.reason;
  const off = fixed ?? refused;
  const hasChanges = dirty.state === 'ready' && dirty.value;
  const drop = (event: DragEvent): void => {
    if (off || !event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    if (event.type !== 'drop') return;
    setDropped(event.dataTransfer);
    setDialog('upload');
  };
  return (
    <div onDragOver={drop} onDrop={drop}>
      <div class="toolbar">
        <RefPicker
          repository={repository}
          value={ref}
          label={`${kind}: `}
          onPick={picked => place.vary({ ref: picked, showChanges: undefined })}
        />
        {guarded && (
          <span class="badge" title={guarded.detail}>
            <Icon name="lock" /> {guarded.badge}
          </span>
        )}
        {hasChanges && (
          <ChangeButtons
            repository={repository}
            branch={ref}
            off={fixed}
            shown={showsChanges}
            onShow={() => place.vary({ showChanges: !showsChanges })}
            onCommit={() => setDialog('commit')}
            onReset={() => setDialog('reset')}
          />
        )}
        <span class="spread group">
          {!showsChanges && <Search label="Find in this folder" value={filter} onInput={setFilter} />}
          {!showsChanges && (
            <span class="wide-only">
              <Button kind="plain" icon="user" label="Last commit of each row" pressed={blameIsOn.value} onClick={toggleBlame} />
            </span>
          )}
          <Button kind="plain" icon="refresh" label="Refresh" onClick={reload} />
          <ActionButtons place="objects" about={{ repository, branch: ref, folder }} off={off} onDialog={setDialog} />
          <Button icon="upload" off={off} onClick={() => setDialog('upload')}>
            Upload
          </Button>
        </span>
      </div>
      {showsChanges ? (
        <Uncommitted repository={repository} branch={ref} prefix={path} off={fixed} onChanged={reload} />
      ) : (
        <>
          <div class="card">
            <div class="card-head">
              <PathBar repository={repository} ref_={ref} path={path} />
            </div>
            {selection.count > 0 && (
              <BulkBar
                repository={repository}
                ref_={ref}
                paths={selection.paths}
                folder={folder}
                off={off}
                onDone={reload}
                onClear={selection.clear}
              />
            )}
            <Listing
              {...at}
              path={path}
              pages={pages}
              rows={rows}
              filter={filter}
              onFilter={setFilter}
              off={off}
              selection={selection}
              isBranch={isBranch}
              onChanged={reload}
              onUpload={() => setDialog('upload')}
            />
          </div>
          {pages.items.some(({ path: found }) => found === `${folder}README.md`) && (
            <Readme repository={repository} ref_={ref} path={`${folder}README.md`} />
          )}
          <Panels place="objects" at={at} />
        </>
      )}
      {dialog && (
        <FolderDialog
          dialog={dialog}
          repository={repository}
          branch={ref}
          folder={folder}
          dropped={dropped}
          onClose={changed => {
            setDialog(undefined);
            setDropped(undefined);
            if (changed) reload();
          }}
        />
      )}
    </div>
  );
}
