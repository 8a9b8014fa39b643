/** The rows of a folder. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Button, Empty, Icon, PagedRows, Size, Time, grouped, later, objectOf, objectsOf, shownName, to } from '@srv/lib-page/page';
import { BlameCell, blameIsOn } from './blame-cell.js';
import { RowMenu } from './row-menu.js';
import type { Pages, RepositoryPlace } from '@srv/lib-page/page';
import type { Row } from '../../../src/model/overlay.js';
import type { Selection } from './selection.js';
import type { RowAction } from './row-menu.js';
import type { ListedObject } from './listed-object.js';

const RowDialog = later(() => import('./row-dialogs.js').then(module => module.RowDialog));

interface ListingProps extends RepositoryPlace {
  readonly path: string;
  readonly pages: Pages<ListedObject>;
  readonly rows: readonly Row<ListedObject>[];
  readonly filter: string;
  readonly onFilter: (text: string) => void;
  readonly off: string | undefined;
  readonly isBranch: boolean;
  readonly selection: Selection;
  readonly onChanged: () => void;
  readonly onUpload: () => void;
}

const rowHeight = 38;

export function Listing(props: ListingProps) {
  const { repository, ref, path, pages, rows, filter, onFilter, off, isBranch, selection, onChanged, onUpload } = props;
  const [dialog, setDialog] = useState<{ action: RowAction; row: Row<ListedObject> }>();
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const needle = filter.toLowerCase();
  const shown = useMemo(
    () => (needle === '' ? rows : rows.filter(row => row.path.slice(folder.length).toLowerCase().includes(needle))),
    [rows, needle, folder],
  );
  // A text anywhere in a name counts, so the whole folder is needed.
  useEffect(() => {
    if (needle !== '' && pages.state === 'more') pages.more();
  }, [needle, pages.items.length, pages.state]);
  const href = ({ path: at, path_type: kind, item }: Row<ListedObject>): string | undefined =>
    !item ? undefined : kind === 'common_prefix' ? objectsOf(repository, ref, at) : objectOf(repository, ref, at);
  const columns = blameIsOn.value ? 'with-blame' : '';
  const allTicked = shown.length > 0 && selection.count >= shown.length;
  const empty =
    path === '' && needle === '' && isBranch ? (
      <Empty icon="upload" title="Your repository is ready!">
        <p>There is nothing on this branch yet. Drop files here, upload them, or import what lies in the store already.</p>
        <Button kind="primary" icon="upload" off={off} onClick={onUpload}>
          Upload objects
        </Button>
      </Empty>
    ) : (
      <Empty icon="folder" title="Nothing here">
        <p>{path === '' ? 'This commit has no objects.' : `No object begins with ${shownName(path)}.`}</p>
      </Empty>
    );
  return (
    <>
      {needle !== '' && (
        <div class="card-head small" role="status">
          {grouped(shown.length)} of {grouped(rows.length)} names contain “{filter}”{pages.state === 'more' ? ', still searching…' : ''}
          <Button kind="plain" icon="close" label="Clear the filter" onClick={() => onFilter('')} />
        </div>
      )}
      <PagedRows
        label={`Objects of ${shownName(path) || 'the root'}`}
        pages={pages}
        items={shown}
        height={rowHeight}
        empty={needle !== '' ? <Empty icon="search" title="No name matches" /> : empty}
        head={
          <div class={`row head-row objects-row ${columns}`} role="row">
            <span role="columnheader">
              <input
                type="checkbox"
                aria-label="Select all shown"
                checked={allTicked}
                onChange={event => selection.set(event.currentTarget.checked ? shown.filter(row => row.item).map(row => row.path) : [])}
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
        }
        row={row => {
          const { item, mark, path: at, path_type: kind } = row;
          const name = shownName(at.slice(folder.length));
          const link = href(row);
          return (
            <div class={`row objects-row ${columns} ${mark ?? ''}`} role="row" key={`${kind} ${at}`}>
              <span role="cell">
                {item && (
                  <input
                    type="checkbox"
                    aria-label={`Select ${name}`}
                    checked={selection.paths.has(at)}
                    onChange={event => selection.toggle(at, event.currentTarget.checked)}
                  />
                )}
              </span>
              <span role="cell" class="cell-name">
                <Icon name={kind === 'common_prefix' ? 'folder' : 'file'} class={kind === 'common_prefix' ? 'folder' : ''} />
                {link === undefined ? (
                  <bdi class="name">{name}</bdi>
                ) : (
                  <a href={link} title={shownName(at)}>
                    <bdi class="name">{name}</bdi>
                  </a>
                )}
                {mark && <span class={`badge ${mark}`}>{mark}</span>}
              </span>
              {blameIsOn.value && (
                <span role="cell" class="wide-only muted small one-line blame">
                  {mark === 'added' || !item ? (
                    'uncommitted'
                  ) : (
                    <BlameCell repository={repository} ref_={ref} path={at} isFolder={kind === 'common_prefix'} />
                  )}
                </span>
              )}
              <span role="cell" class="end muted">
                {item?.path_type === 'object' && <Size bytes={item.size_bytes ?? 0} />}
              </span>
              <span role="cell" class="end muted wide-only">
                {item?.path_type === 'object' && <Time seconds={item.mtime} />}
              </span>
              <span role="cell">
                {item && (
                  <RowMenu
                    repository={repository}
                    ref_={ref}
                    row={row}
                    name={name}
                    off={off}
                    isBranch={isBranch}
                    onAct={action => setDialog({ action, row })}
                  />
                )}
              </span>
            </div>
          );
        }}
      />
      {dialog && (
        <RowDialog
          repository={repository}
          ref_={ref}
          path={dialog.row.path}
          isFolder={dialog.row.path_type === 'common_prefix'}
          action={dialog.action}
          commitsHref={to('repositories', repository, 'commits', { ref })}
          onClose={changed => {
            setDialog(undefined);
            if (changed) onChanged();
          }}
        />
      )}
    </>
  );
}
