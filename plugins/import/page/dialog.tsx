/** Imports objects that lie in the store already, without copying them. */

import {
  Alert,
  Button,
  Dialog,
  Field,
  FormDialog,
  ask,
  commitOf,
  counted,
  fitsStorePattern,
  messageOf,
  shortRef,
  shownName,
  storage,
  useCommitMetadata,
} from '@srv/lib-page/page';
import { useEffect, useState } from 'preact/hooks';
import type { ActionDialogProps } from '@srv/lib-page/page';

interface Status {
  readonly completed: boolean;
  readonly ingested_objects?: number;
  readonly commit?: { readonly id: string };
  readonly error?: { readonly message: string };
}

/** Milliseconds between looks at the import. */
const pause = 1500;

export default function ImportDialog({ repository, branch, folder, onClose }: ActionDialogProps) {
  const [sources, setSources] = useState('');
  const [destination, setDestination] = useState(folder);
  const [message, setMessage] = useState('');
  const metadata = useCommitMetadata();
  const [id, setId] = useState<string>();
  const pattern = storage(repository)?.import_validity_regex ?? '';
  const paths = sources.split('\n').flatMap(line => (line.trim() === '' ? [] : [line.trim()]));
  const wrong = paths.find(path => !fitsStorePattern(pattern, path));
  const start = async (): Promise<void> => {
    const entered = metadata.take();
    const body = {
      paths: paths.map(path => ({ type: 'common_prefix', path, destination })),
      commit: { message: message || `Import to ${branch}`, metadata: entered },
    };
    setId(((await ask('importStart', { repository, branch, body })) as { id: string }).id);
  };
  if (id !== undefined)
    return <Progress repository={repository} branch={branch} id={id} onClose={onClose} onAgain={() => setId(undefined)} />;
  return (
    <FormDialog
      title={`Import to ${shownName(branch)}`}
      action="Import"
      off={paths.length === 0 ? 'say where the objects are' : wrong !== undefined && `${wrong} is not an address of this store`}
      onClose={() => onClose(false)}
      onSubmit={start}
    >
      <Field
        label="Sources"
        value={sources}
        onInput={setSources}
        lines={2}
        placeholder={storage(repository)?.blockstore_namespace_example}
        problem={wrong === undefined ? undefined : `${wrong} is not an address of this store`}
        hint="Addresses in the store, one a line; everything below each is imported, and nothing is copied"
        focus
      />
      <Field label="Destination" value={destination} onInput={setDestination} placeholder="the root" />
      <Field label="Commit Message" value={message} onInput={setMessage} placeholder={`Import to ${branch}`} />
      {metadata.fields}
    </FormDialog>
  );
}

interface ProgressProps {
  readonly repository: string;
  readonly branch: string;
  readonly id: string;
  readonly onClose: (changed: boolean) => void;
  readonly onAgain: () => void;
}

/** Closing the dialog does not stop the import. */
function Progress({ repository, branch, id, onClose, onAgain }: ProgressProps) {
  const [status, setStatus] = useState<Status>({ completed: false });
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const controller = new AbortController();
    let timer = 0;
    const look = async (): Promise<void> => {
      try {
        const found = (await ask('importStatus', { repository, branch, id }, { signal: controller.signal })) as Status;
        setStatus(found);
        if (!found.completed && !found.error) timer = window.setTimeout(() => void look(), pause);
      } catch (error) {
        if (!controller.signal.aborted) setProblem(messageOf(error));
      }
    };
    void look();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [id]);
  const failed = problem ?? status.error?.message;
  const cancel = async (): Promise<void> => {
    try {
      await ask('importCancel', { repository, branch, id });
      onClose(false);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <Dialog
      title={`Import to ${shownName(branch)}`}
      onClose={() => onClose(status.completed)}
      foot={
        status.completed || failed !== undefined ? (
          <>
            {failed !== undefined && <Button onClick={onAgain}>Change the import</Button>}
            <Button kind="primary" onClick={() => onClose(true)}>
              Close
            </Button>
          </>
        ) : (
          <Button kind="danger" onClick={() => void cancel()}>
            Cancel the import
          </Button>
        )
      }
    >
      {failed !== undefined ? (
        <Alert>{failed}</Alert>
      ) : (
        <p role="status">
          {counted(status.ingested_objects ?? 0, 'object')} imported{status.completed ? '.' : ' so far…'}{' '}
          {status.commit && <a href={commitOf(repository, status.commit.id)}>See commit {shortRef(status.commit.id)}</a>}
        </p>
      )}
      {!status.completed && failed === undefined && <progress aria-label="Import" />}
    </Dialog>
  );
}
