/** The browser of objects: a folder of a ref, with what is uncommitted in it. */
import { useMemo, useState } from 'preact/hooks';
import { call } from '../../core/client.js';
import { useAnswer, usePages } from '../../core/answer.js';
import { usePlace } from '../../core/location.js';
import { resolveRef } from '../../core/refs.js';
import { panels } from '../../core/registry.js';
import { overlay } from '../../../src/model/overlay.js';
import { Button } from '../../parts/button.js';
import { PathBar } from '../../parts/path-bar.js';
import { RefPicker } from '../../parts/ref-picker.js';
import { Failed, Loading } from '../../parts/states.js';
import { later } from '../../parts/lazy.js';
import { Search } from '../../parts/field.js';
import { Listing } from './listing.js';
import { useSelection } from './selection.js';
import type { RepositoryPlace } from '../../core/registry.js';

const Uncommitted = later(() => import('../changes/uncommitted.js').then(module => module.Uncommitted));
const CommitDialog = later(() => import('../changes/commit-dialog.js').then(module => module.CommitDialog));
const UploadDialog = later(() => import('./upload-dialog.js').then(module => module.UploadDialog));
const Readme = later(() => import('./readme.js').then(module => module.Readme));
const BulkBar = later(() => import('./bulk-bar.js').then(module => module.BulkBar));
const ResetDialog = later(() => import('../changes/reset-dialog.js').then(module => module.ResetDialog));

const pageSize = 1000;

export function Objects(at: RepositoryPlace) {
  const { repository, ref } = at;
  const resolved = useAnswer(signal => resolveRef(repository, ref, signal), [repository, ref]);
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
  const isBranch = kind === 'branch';
  const showsChanges = isBranch && place.query['showChanges'] === 'true';
  const [dialog, setDialog] = useState<'upload' | 'commit' | 'reset' | undefined>();
  const [dropped, setDropped] = useState<DataTransfer>();
  const [filter, setFilter] = useState('');
  const dirty = useAnswer(
    async signal => isBranch && (await call('diffBranch', { repository, branch: ref, amount: 1 }, { signal })).results.length > 0,
    [repository, ref, isBranch],
  );
  const pages = usePages(
    (after, signal) =>
      call('listObjects', { repository, ref, prefix: path, delimiter: '/', after, amount: pageSize, user_metadata: false }, { signal }),
    [repository, ref, path],
  );
  const changes = useAnswer(
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
  const off = !isBranch ? `a ${kind} cannot be changed; choose a branch` : readOnly ? 'this repository is read-only' : undefined;
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
        {hasChanges && (
          <>
            <Button pressed={showsChanges} onClick={() => place.vary({ showChanges: !showsChanges })}>
              Uncommitted Changes
            </Button>
            <Button kind="primary" off={off} onClick={() => setDialog('commit')}>
              Commit Changes
            </Button>
            <Button icon="undo" kind="plain" off={off} onClick={() => setDialog('reset')}>
              Revert
            </Button>
          </>
        )}
        <span class="spread group">
          {!showsChanges && <Search label="Find in this folder" value={filter} onInput={setFilter} />}
          <Button kind="plain" icon="refresh" label="Refresh" onClick={reload} />
          <Button icon="upload" off={off} onClick={() => setDialog('upload')}>
            Upload
          </Button>
        </span>
      </div>
      {showsChanges ? (
        <Uncommitted repository={repository} branch={ref} prefix={path} off={off} onChanged={reload} />
      ) : (
        <>
          <div class="card">
            <div class="card-head">
              <PathBar repository={repository} ref_={ref} path={path} />
            </div>
            {selection.count > 0 && (
              <BulkBar repository={repository} ref_={ref} paths={selection.paths} off={off} onDone={reload} onClear={selection.clear} />
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
          {pages.items.some(({ path: found }) => found === `${path.slice(0, path.lastIndexOf('/') + 1)}README.md`) && (
            <Readme repository={repository} ref_={ref} path={`${path.slice(0, path.lastIndexOf('/') + 1)}README.md`} />
          )}
          {panels.value
            .filter(panel => panel.place === 'objects')
            .map(panel => (
              <section class="card gap" key={panel.id} aria-label={panel.title}>
                <div class="card-head">
                  <h2>{panel.title}</h2>
                </div>
                {panel.render(at)}
              </section>
            ))}
        </>
      )}
      {dialog === 'upload' && (
        <UploadDialog
          repository={repository}
          branch={ref}
          folder={path.slice(0, path.lastIndexOf('/') + 1)}
          {...(dropped ? { dropped } : {})}
          onClose={changed => {
            setDialog(undefined);
            setDropped(undefined);
            if (changed) reload();
          }}
        />
      )}
      {dialog === 'commit' && (
        <CommitDialog
          repository={repository}
          branch={ref}
          onClose={() => setDialog(undefined)}
          onDone={() => {
            setDialog(undefined);
            place.vary({ showChanges: undefined });
            reload();
          }}
        />
      )}
      {dialog === 'reset' && (
        <ResetDialog
          repository={repository}
          branch={ref}
          onClose={() => setDialog(undefined)}
          onDone={() => {
            setDialog(undefined);
            place.vary({ showChanges: undefined });
            reload();
          }}
        />
      )}
    </div>
  );
}
