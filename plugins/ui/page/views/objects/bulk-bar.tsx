/** What can be done with the ticked rows. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { counted } from '../../../src/model/text.js';
import { notify } from '../../core/notices.js';
import { Button } from '../../parts/button.js';
import { Confirm } from '../../parts/dialog.js';
import { deleteBelow } from './delete-objects.js';

interface BulkBarProps {
  readonly repository: string;
  readonly ref_: string;
  readonly paths: ReadonlySet<string>;
  readonly off: string | undefined;
  readonly onDone: () => void;
  readonly onClear: () => void;
}

export function BulkBar({ repository, ref_: branch, paths, off, onDone, onClear }: BulkBarProps) {
  const [asking, setAsking] = useState(false);
  const [count, setCount] = useState(0);
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  const remove = async (): Promise<void> => {
    const all = [...paths];
    const deleted = await deleteBelow({
      repository,
      branch,
      paths: all.filter(path => !path.endsWith('/')),
      prefixes: all.filter(path => path.endsWith('/')),
      signal: controller.current.signal,
      onProgress: setCount,
    });
    notify(`Deleted ${counted(deleted, 'object')}`);
    onDone();
  };
  return (
    <div class="card-head" role="status">
      <strong>{counted(paths.size, 'item')} selected</strong>
      <Button kind="danger" icon="trash" off={off} onClick={() => setAsking(true)}>
        Delete
      </Button>
      <Button kind="plain" onClick={onClear}>
        Clear selection
      </Button>
      {asking && (
        <Confirm title={`Delete ${counted(paths.size, 'item')}`} action="Yes, delete" onClose={() => setAsking(false)} onConfirm={remove}>
          <p>Folders are deleted with everything below them. It can be undone until it is committed.</p>
          {count > 0 && <p role="status">{counted(count, 'object')} deleted…</p>}
        </Confirm>
      )}
    </div>
  );
}
