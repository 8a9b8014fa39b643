/** How far an import is. Closing the dialog does not stop it. */
import { Alert, Button, Dialog, ask, commitOf, counted, messageOf, shortRef, shownName } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { useImportStatus } from './import-status.js';

interface ProgressProps {
  readonly repository: string;
  readonly branch: string;
  readonly id: string;
  readonly onClose: (changed: boolean) => void;
  readonly onAgain: () => void;
}

export function Progress({ repository, branch, id, onClose, onAgain }: ProgressProps) {
  const { status, trouble, failed } = useImportStatus({ repository, branch, id });
  /** Why the import could not be cancelled. */
  const [refused, setRefused] = useState<string>();
  const [isCancelling, setIsCancelling] = useState(false);
  const isOver = status.completed || failed !== undefined;
  const cancel = async (): Promise<void> => {
    setRefused(undefined);
    setIsCancelling(true);
    try {
      await ask('importCancel', { repository, branch, id });
      onClose(false);
    } catch (error) {
      setRefused(messageOf(error));
      setIsCancelling(false);
    }
  };
  return (
    <Dialog
      title={`Import to ${shownName(branch)}`}
      onClose={() => onClose(status.completed)}
      foot={
        isOver ? (
          <>
            {failed !== undefined && <Button onClick={onAgain}>Change the import</Button>}
            <Button kind="primary" onClick={() => onClose(true)}>
              Close
            </Button>
          </>
        ) : (
          <Button kind="danger" off={isCancelling && 'working'} onClick={() => void cancel()}>
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
      {!isOver && trouble !== undefined && <Alert kind="note">{trouble}</Alert>}
      {!isOver && refused !== undefined && <Alert>Not cancelled: {refused}</Alert>}
      {!isOver && <progress aria-label="Import" />}
    </Dialog>
  );
}
