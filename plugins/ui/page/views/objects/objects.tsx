/** The browser of objects: a folder of a ref, with what is uncommitted in it. */

import { ListPage, LoadingRows, Panels, RefPicker, later, useAsync, usePlace } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { isPicture, tableFormatOf } from '../../../src/model/object-kind.js';
import { rowKey } from '../../../src/model/overlay.js';
import { useAddressText } from '../../core/address-text.js';
import { resolveRef } from '../../core/refs.js';
import { noSelection as none, useSelection } from '../../core/selection.js';
import { MissingRef } from '../../parts/missing-ref.js';
import { PathBar } from '../../parts/path-bar.js';
import { refreshBlame } from './blame-cell.js';
import { FolderCard } from './folder-card.js';
import { useFolderContent } from './folder-content.js';
import { FolderDialog } from './folder-dialog.js';
import { useFolderRefusals } from './folder-refusals.js';
import { FolderToolbar } from './folder-toolbar.js';
import { ListingHead } from './listing-head.js';
import { rowHeight } from './listing-rows.js';
import type { RepositoryPlace } from '@srv/lib-page/page';
import type { FolderAction } from './folder-dialog.js';
import type { ListedObject } from './listed-object.js';

const Uncommitted = later(() => import('../changes/uncommitted.js').then(module => module.Uncommitted));
const Readme = later(() => import('./readme.js').then(module => module.Readme));

export function Objects(at: RepositoryPlace) {
  const place = usePlace();
  const { repository, ref } = at;
  const resolved = useAsync(signal => resolveRef(repository, ref, signal), [repository, ref]);
  if (resolved.state === 'ready') return <Folder {...at} kind={resolved.value.kind} />;
  return (
    <ListPage>
      <div class="toolbar">
        <RefPicker
          repository={repository}
          value={ref}
          label="ref: "
          onPick={picked => place.vary({ ref: picked, path: undefined, showChanges: undefined })}
        />
      </div>
      <div class="card">
        {resolved.state === 'failed' ? (
          <MissingRef refs={[ref]} error={resolved.error} retry={resolved.reload} />
        ) : (
          <>
            <div class="card-head">
              <PathBar repository={repository} ref_={ref} path={place.query['path'] ?? ''} />
            </div>
            <LoadingRows height={rowHeight} head={<ListingHead shown={[]} selection={none} />} />
          </>
        )}
      </div>
    </ListPage>
  );
}

/** A table, or a folder of a table that is divided by the values of a column. */
const holdsTable = ({ path, path_type: type }: { readonly path: string; readonly path_type: string }): boolean =>
  type === 'object'
    ? tableFormatOf({ path, contentType: '' }) !== undefined
    : /[^/]=/.test(path.slice(path.lastIndexOf('/', path.length - 2) + 1));

interface FolderProps extends RepositoryPlace {
  readonly kind: 'branch' | 'tag' | 'commit';
}

function Folder({ kind, ...at }: FolderProps) {
  const { repository, ref } = at;
  const { path = '', showChanges } = usePlace().query;
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const isBranch = kind === 'branch';
  const showsChanges = isBranch && showChanges === 'true';
  const [dialog, setDialog] = useState<FolderAction>();
  const [dropped, setDropped] = useState<DataTransfer>();
  const [filter, setFilter] = useAddressText('filter', `${repository} ${ref} ${path}`);
  const { pages, rows, isDirty, reload } = useFolderContent(repository, ref, path, isBranch ? ref : undefined);
  const selection = useSelection<ListedObject>([repository, ref, path], rowKey);
  const refusals = useFolderRefusals(at, kind, path);
  const { fixed, off } = refusals;
  const changed = (): void => {
    selection.clear();
    refreshBlame();
    reload();
  };
  const drop = (event: DragEvent): void => {
    if (off || !event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    if (event.type !== 'drop') return;
    setDropped(event.dataTransfer);
    setDialog('upload');
  };
  const here = { repository, ref_: ref, path, folder, filter, onFilter: setFilter, off };
  return (
    <ListPage onDragOver={drop} onDrop={drop}>
      <FolderToolbar
        {...here}
        {...refusals}
        kind={kind}
        isDirty={isDirty}
        hasTables={rows.some(holdsTable)}
        hasPictures={rows.some(isPicture)}
        showsChanges={showsChanges}
        onDialog={setDialog}
        onReload={changed}
      />
      {showsChanges ? (
        <Uncommitted repository={repository} branch={ref} prefix={path} off={fixed} onChanged={changed} />
      ) : (
        <>
          <FolderCard
            {...here}
            pages={pages}
            rows={rows}
            isBranch={isBranch}
            selection={selection}
            onChanged={changed}
            onUpload={() => setDialog('upload')}
          />
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
          onClose={isChanged => {
            setDialog(undefined);
            setDropped(undefined);
            if (isChanged) changed();
          }}
        />
      )}
    </ListPage>
  );
}
