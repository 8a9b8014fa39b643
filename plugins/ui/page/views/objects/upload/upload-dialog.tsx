/** Uploads files and folders into a branch. */

import { Alert, Button, Check, Dialog, Field, Icon, Size, counted, shownName, storage } from '@srv/lib-page/page';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Unread, useDropped } from './dropped.js';
import { namedFiles } from './dropped-files.js';
import { useUploads } from './uploads.js';
import type { NamedFile } from './dropped-files.js';
import type { Upload } from './upload-list.js';

interface UploadDialogProps {
  readonly repository: string;
  readonly branch: string;
  /** Where the page is: the folder that is proposed. */
  readonly folder: string;
  readonly dropped?: DataTransfer | undefined;
  readonly onClose: (changed: boolean) => void;
}

export function UploadDialog({ repository, branch, folder: initial, dropped, onClose }: UploadDialogProps) {
  const [folder, setFolder] = useState(initial);
  const [over, setOver] = useState(false);
  const store = storage(repository);
  const signed = store?.pre_sign_support_ui === true;
  const [direct, setDirect] = useState(signed);
  const uploads = useUploads({ repository, branch, folder, direct, onWhole: () => onClose(true) });
  const { list, busy, add, remove, start, stop, destinationOf } = uploads;
  const { isReading, unread, read } = useDropped(add);
  useEffect(() => {
    if (dropped) read(dropped);
  }, []);
  const waiting = list.filter(({ state }) => state !== 'done');
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    setOver(event.type === 'dragover');
    if (event.type === 'drop' && !busy && event.dataTransfer) read(event.dataTransfer);
  };
  return (
    <Dialog
      title={`Upload to ${shownName(branch)}`}
      wide
      onClose={() => {
        stop();
        onClose(list.some(({ state }) => state === 'done'));
      }}
      foot={
        busy ? (
          <Button kind="danger" onClick={stop}>
            Cancel the upload
          </Button>
        ) : (
          <>
            <Button onClick={() => onClose(list.some(({ state }) => state === 'done'))}>Close</Button>
            <Button
              kind="primary"
              icon="upload"
              off={isReading ? 'wait until what was dropped is read' : waiting.length === 0 && 'choose files first'}
              onClick={start}
            >
              {waiting.length === 0 ? 'Upload' : `Upload ${waiting.length} File${waiting.length === 1 ? '' : 's'}`}
            </Button>
          </>
        )
      }
    >
      {store?.blockstore_type === 'mem' && <Alert kind="note">This server keeps objects in memory: they are gone when it stops.</Alert>}
      <Field label="Common Destination Directory" value={folder} onInput={setFolder} placeholder="the root" readOnly={busy} />
      {signed && !busy && (
        <Check
          label="Send through the server, not directly to the object store"
          checked={!direct}
          onChange={through => setDirect(!through)}
        />
      )}
      <div class={`drop ${over ? 'over' : ''}`} onDragOver={drop} onDragLeave={() => setOver(false)} onDrop={drop}>
        <Icon name="upload" />
        <span>Drag &amp; drop files or folders here</span>
        <div class="group">
          <Chooser text="Choose files" label="Files" busy={busy} onFiles={add} />
          <Chooser text="Choose a folder" label="Folder" folder busy={busy} onFiles={add} />
        </div>
      </div>
      <Unread entries={unread} />
      {list.length > 0 && <Files list={list} busy={busy} destinationOf={destinationOf} onRemove={remove} />}
    </Dialog>
  );
}

interface ChooserProps {
  readonly text: string;
  /** Of the input that the button opens. */
  readonly label: string;
  /** Everything in a folder. */
  readonly folder?: boolean;
  readonly busy: boolean;
  readonly onFiles: (files: readonly NamedFile[]) => void;
}

function Chooser({ text, label, folder = false, busy, onFiles }: ChooserProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button off={busy && 'wait until the upload is done'} onClick={() => input.current?.click()}>
        {text}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={label}
        {...(folder ? { webkitdirectory: true } : {})}
        onChange={event => {
          onFiles(namedFiles(event.currentTarget.files));
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}

/** Bytes that have arrived. */
const sentOf = (list: readonly Upload[]): number =>
  list.reduce(
    (sum, { file, state, sent }) => sum + (state === 'done' ? file.size : state === 'running' ? Math.min(sent, file.size) : 0),
    0,
  );

interface FilesProps {
  readonly list: readonly Upload[];
  readonly busy: boolean;
  readonly destinationOf: (upload: Upload) => string;
  readonly onRemove: (upload: Upload) => void;
}

const mostShown = 200;

function Files({ list, busy, destinationOf, onRemove }: FilesProps) {
  const total = list.reduce((sum, { file }) => sum + file.size, 0);
  return (
    <>
      <p class="small muted" role="status">
        {counted(list.filter(({ state }) => state === 'done').length, 'file')} of {list.length} uploaded · <Size bytes={total} />
      </p>
      {busy && <progress aria-label="Progress of the upload" max={Math.max(1, total)} value={sentOf(list)} />}
      <div class="scroll" role="table" aria-label="Files" tabIndex={0}>
        {list.slice(0, mostShown).map(upload => (
          <Row key={upload.name} upload={upload} destination={destinationOf(upload)} busy={busy} onRemove={() => onRemove(upload)} />
        ))}
        {list.length > mostShown && <p class="menu-note muted">and {counted(list.length - mostShown, 'other')}</p>}
      </div>
    </>
  );
}

interface RowProps {
  readonly upload: Upload;
  readonly destination: string;
  readonly busy: boolean;
  readonly onRemove: () => void;
}

function Row({ upload: { name, file, state, sent, problem }, destination, busy, onRemove }: RowProps) {
  return (
    <div class="row upload-row" role="row">
      <span role="cell">
        <span class="one-line">{shownName(destination)}</span>
        {problem !== undefined && <span class="problem small">{problem}</span>}
        {state === 'running' && <progress aria-label={`Progress of ${shownName(name)}`} max={Math.max(1, file.size)} value={sent} />}
      </span>
      <span role="cell" class="muted end">
        <Size bytes={file.size} />
      </span>
      <span role="cell">
        {state === 'done' ? (
          <span class="badge added">
            <Icon name="check" /> done
          </span>
        ) : state === 'failed' ? (
          <span class="badge removed">failed</span>
        ) : (
          !busy && <Button kind="plain" icon="close" label={`Remove ${shownName(name)}`} onClick={onRemove} />
        )}
      </span>
    </div>
  );
}
