/** What is in a folder of a ref, committed or not. */

import { call, useAsync, usePages } from '@srv/lib-page/page';
import { useMemo } from 'preact/hooks';
import { overlay } from '../../../src/model/overlay.js';
import type { Pages } from '@srv/lib-page/page';
import type { Row } from '../../../src/model/overlay.js';
import type { ListedObject } from './listed-object.js';

interface FolderContent {
  readonly pages: Pages<ListedObject>;
  /** With the marks of what is uncommitted. */
  readonly rows: readonly Row<ListedObject>[];
  /** Something is uncommitted, anywhere on the branch. */
  readonly isDirty: boolean;
  reload(): void;
}

const pageSize = 1000;

/** @param branch absent: the ref is not a branch, and nothing can be uncommitted. */
export function useFolderContent(repository: string, ref: string, path: string, branch: string | undefined): FolderContent {
  const changesOf = async (signal: AbortSignal, options: { prefix?: string; delimiter?: string; amount: number }) =>
    branch === undefined ? [] : (await call('diffBranch', { repository, branch, ...options }, { signal })).results;
  const dirty = useAsync(async signal => (await changesOf(signal, { amount: 1 })).length > 0, [repository, branch]);
  const pages = usePages(
    (after, signal) =>
      call('listObjects', { repository, ref, prefix: path, delimiter: '/', after, amount: pageSize, user_metadata: false }, { signal }),
    [repository, ref, path],
  );
  const changes = useAsync(
    signal => changesOf(signal, { prefix: path, delimiter: '/', amount: pageSize }),
    [repository, ref, path, branch],
  );
  const rows = useMemo(
    () => overlay(pages.items, changes.state === 'ready' ? changes.value : [], pages.state === 'whole'),
    [pages.items, pages.state, changes.state === 'ready' && changes.value],
  );
  const reload = (): void => {
    dirty.reload();
    pages.reload();
    changes.reload();
  };
  return { pages, rows, isDirty: dirty.state === 'ready' && dirty.value, reload };
}
