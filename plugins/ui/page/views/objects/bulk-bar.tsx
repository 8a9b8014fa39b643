/** What can be done with the ticked rows. */

import { Button, Confirm, counted, messageOf, notify, shortRef, sizeText, useDenial } from '@srv/lib-page/page';
import { useEffect, useRef, useState } from 'preact/hooks';
import { deleteBelow } from './delete-objects.js';
import { save, zipOf } from './download-zip.js';
import type { ListedObject } from './listed-object.js';

interface BulkBarProps {
  readonly repository: string;
  readonly ref_: string;
  /** Objects and folders. */
  readonly items: readonly ListedObject[];
  /** Where the page is; its name is taken off in archives. */
  readonly folder: string;
  readonly off: string | undefined;
  readonly onDone: () => void;
  readonly onClear: () => void;
}

export function BulkBar({ repository, ref_: branch, items, folder, off, onDone, onClear }: BulkBarProps) {
  const denied = useDenial('fs:DeleteObject');
  const [asking, setAsking] = useState(false);
  const [count, setCount] = useState(0);
  const [zipping, setZipping] = useState<string>();
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  // By what they are listed as: an object that marks a folder has its name.
  const objects = items.filter(({ path_type: kind }) => kind === 'object');
  const prefixes = items.filter(({ path_type: kind }) => kind === 'common_prefix').map(({ path }) => path);
  const remove = async (): Promise<void> => {
    const deleted = await deleteBelow({
      repository,
      branch,
      paths: objects.map(({ path }) => path),
      prefixes,
      signal: controller.current.signal,
      onProgress: setCount,
    });
    notify(`Deleted ${counted(deleted, 'object')}`);
    onDone();
  };
  const download = async (): Promise<void> => {
    setZipping('Collecting…');
    try {
      const content = await zipOf({
        repository,
        ref: branch,
        objects,
        prefixes,
        folder,
        signal: controller.current.signal,
        onProgress: (objects, bytes) => setZipping(`${counted(objects, 'object')}, ${sizeText(bytes)}…`),
      });
      save(content, `${repository}-${shortRef(branch)}.zip`);
    } catch (error) {
      if (!controller.current.signal.aborted) notify(messageOf(error), 'failed');
    }
    setZipping(undefined);
  };
  return (
    <div class="card-head" role="status">
      <strong>{counted(items.length, 'item')} selected</strong>
      <Button icon="download" off={zipping !== undefined && 'wait until the archive is there'} onClick={() => void download()}>
        {zipping ?? 'Download as zip'}
      </Button>
      <Button kind="danger" icon="trash" off={off ?? denied} onClick={() => setAsking(true)}>
        Delete
      </Button>
      <Button kind="plain" onClick={onClear}>
        Clear selection
      </Button>
      {asking && (
        <Confirm title={`Delete ${counted(items.length, 'item')}`} action="Yes, delete" onClose={() => setAsking(false)} onConfirm={remove}>
          <p>{prefixes.length > 0 && 'Folders are deleted with everything below them. '}It can be undone until it is committed.</p>
          {count > 0 && <p role="status">{counted(count, 'object')} deleted…</p>}
        </Confirm>
      )}
    </div>
  );
}
