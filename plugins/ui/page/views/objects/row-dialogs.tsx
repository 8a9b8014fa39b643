/** Dialogs of a row: facts, last commit, size of a folder, deletion. */

import {
  Alert,
  Button,
  Confirm,
  Copy,
  Dialog,
  Size,
  Time,
  With,
  call,
  counted,
  grouped,
  messageOf,
  notify,
  shownName,
  useAsync,
} from '@srv/lib-page/page';
import { useEffect, useRef, useState } from 'preact/hooks';
import { allOf } from '../../core/all-pages.js';
import { CommitCard } from '../commits/commit-card.js';
import { deleteBelow } from './delete-objects.js';
import type { RowAction } from './row-menu.js';

interface RowDialogProps {
  readonly repository: string;
  readonly ref_: string;
  readonly path: string;
  readonly isFolder: boolean;
  readonly action: RowAction;
  readonly commitsHref: string;
  readonly onClose: (changed: boolean) => void;
}

export function RowDialog(props: RowDialogProps) {
  if (props.action === 'info') return <Info {...props} />;
  if (props.action === 'blame') return <Blame {...props} />;
  if (props.action === 'size') return <FolderSize {...props} />;
  return <Delete {...props} />;
}

function Info({ repository, ref_: ref, path, onClose }: RowDialogProps) {
  const facts = useAsync(signal => call('statObject', { repository, ref, path }, { signal }), [repository, ref, path]);
  return (
    <Dialog title="Object Info" onClose={() => onClose(false)}>
      <With answer={facts}>
        {({ physical_address, size_bytes = 0, checksum, mtime, content_type, metadata = {} }) => (
          <dl class="facts">
            <dt>Path</dt>
            <dd>
              <code>{shownName(path)}</code> <Copy text={path} what="path" />
            </dd>
            <dt>Physical address</dt>
            <dd>
              <code>{physical_address}</code> <Copy text={physical_address} what="physical address" />
            </dd>
            <dt>Size</dt>
            <dd>
              <Size bytes={size_bytes} /> ({grouped(size_bytes)} bytes)
            </dd>
            <dt>Checksum</dt>
            <dd>
              <code>{checksum}</code>
            </dd>
            <dt>Modified</dt>
            <dd>
              <Time seconds={mtime} />
            </dd>
            <dt>Content type</dt>
            <dd>{content_type || 'not known'}</dd>
            {Object.entries(metadata).map(([key, value]) => (
              <>
                <dt>{shownName(key)}</dt>
                <dd>{shownName(value)}</dd>
              </>
            ))}
          </dl>
        )}
      </With>
    </Dialog>
  );
}

function Blame({ repository, ref_: ref, path, isFolder, commitsHref, onClose }: RowDialogProps) {
  const found = useAsync(
    async signal =>
      (await call('logCommits', { repository, ref, amount: 1, ...(isFolder ? { prefixes: [path] } : { objects: [path] }) }, { signal }))
        .results[0] ?? null,
    [repository, ref, path],
  );
  return (
    <Dialog title={`Last commit of ${shownName(path)}`} onClose={() => onClose(false)}>
      <With answer={found}>
        {commit =>
          commit ? (
            <CommitCard repository={repository} commit={commit} />
          ) : (
            <p>
              No commit has this path. It is probably <strong>uncommitted</strong>. <a href={commitsHref}>All commits</a>
            </p>
          )
        }
      </With>
    </Dialog>
  );
}

/** Counts without keeping what was counted; closing stops it. */
function FolderSize({ repository, ref_: ref, path, onClose }: RowDialogProps) {
  const [state, setState] = useState<{ objects: number; bytes: number; done: boolean; problem?: string }>({
    objects: 0,
    bytes: 0,
    done: false,
  });
  useEffect(() => {
    const controller = new AbortController();
    const count = async (): Promise<void> => {
      let [objects, bytes] = [0, 0];
      for await (const items of allOf(after =>
        call('listObjects', { repository, ref, prefix: path, after, amount: 1000, user_metadata: false }, { signal: controller.signal }),
      )) {
        objects += items.length;
        for (const { size_bytes = 0 } of items) bytes += size_bytes;
        setState({ objects, bytes, done: false });
      }
      setState({ objects, bytes, done: true });
    };
    count().catch((error: unknown) => {
      if (!controller.signal.aborted) setState(before => ({ ...before, problem: messageOf(error) }));
    });
    return () => controller.abort();
  }, []);
  const { objects, bytes, done, problem } = state;
  return (
    <Dialog
      title={`Size of ${shownName(path)}`}
      onClose={() => onClose(false)}
      foot={<Button onClick={() => onClose(false)}>{done ? 'Close' : 'Stop'}</Button>}
    >
      {problem !== undefined && <Alert>{problem}</Alert>}
      <p role="status">
        {counted(objects, 'object')}, <Size bytes={bytes} /> {!done && !problem && <span class="muted">so far…</span>}
      </p>
    </Dialog>
  );
}

function Delete({ repository, ref_: branch, path, isFolder, onClose }: RowDialogProps) {
  const [count, setCount] = useState(0);
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  const remove = async (): Promise<void> => {
    if (isFolder) {
      const deleted = await deleteBelow({
        repository,
        branch,
        prefixes: [path],
        paths: [],
        signal: controller.current.signal,
        onProgress: setCount,
      });
      notify(`Deleted ${counted(deleted, 'object')} below ${shownName(path)}`);
    } else {
      await call('deleteObject', { repository, branch, path });
      notify(`Deleted ${shownName(path)}`);
    }
    onClose(true);
  };
  return (
    <Confirm title={isFolder ? 'Delete folder' : 'Delete object'} action="Yes, delete" onClose={() => onClose(false)} onConfirm={remove}>
      <p>
        Delete {isFolder ? 'all objects below ' : ''}
        <code>{shownName(path)}</code> from branch <strong>{shownName(branch)}</strong>? It can be undone until it is committed, and earlier
        commits keep it.
      </p>
      {count > 0 && <p role="status">{counted(count, 'object')} deleted…</p>}
    </Confirm>
  );
}
