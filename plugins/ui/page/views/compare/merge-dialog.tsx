/** Merges one branch into another. A conflict leaves the dialog open, with the ways out of it. */

import {
  Button,
  Check,
  Choice,
  Field,
  FormDialog,
  Refusal,
  call,
  explained,
  later,
  notify,
  shortRef,
  shownName,
  useCommitMetadata,
} from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import type { MergeCommit } from '../../../src/model/settlement.js';

const ResolveDialog = later(() => import('./resolve-dialog.js').then(module => module.ResolveDialog));

interface MergeDialogProps {
  readonly repository: string;
  readonly source: string;
  readonly destination: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const strategies = [
  ['', 'default: stop at conflicts'],
  ['source-wins', 'source-wins'],
  ['dest-wins', 'dest-wins'],
] as const;
const strategyHints: Readonly<Record<string, string>> = {
  '': 'Objects that changed on both sides are conflicts, and nothing is merged.',
  'source-wins': 'Where both sides changed an object, the one of the source is taken.',
  'dest-wins': 'Where both sides changed an object, the one of the destination stays.',
};

export function MergeDialog({ repository, source, destination, onClose, onDone }: MergeDialogProps) {
  const [message, setMessage] = useState('');
  const [strategy, setStrategy] = useState('');
  const [squash, setSquash] = useState(false);
  const metadata = useCommitMetadata();
  const [settling, setSettling] = useState<MergeCommit>();
  const commit = (): MergeCommit => ({ message, squash_merge: squash, metadata: metadata.take() });
  const settle = (): void => {
    try {
      setSettling(commit());
    } catch {
      // The fields of the metadata say what is wrong with them.
    }
  };
  const merge = async (): Promise<void> => {
    const body = { ...commit(), strategy };
    const { reference } = await call('mergeIntoBranch', { repository, sourceRef: source, destinationBranch: destination, body });
    notify(`Merged as ${shortRef(reference)}`);
    onDone();
  };
  const describe = (error: unknown) =>
    error instanceof Refusal && error.status === 409 ? (
      <>
        Conflict: both branches changed the same objects, marked “conflict” in the list. Choose a strategy for all of them, or{' '}
        <Button onClick={settle}>Settle them one by one</Button>
      </>
    ) : (
      explained(error, repository)
    );
  if (settling)
    return (
      <ResolveDialog
        repository={repository}
        source={source}
        destination={destination}
        commit={settling}
        onClose={onClose}
        onDone={onDone}
      />
    );
  return (
    <FormDialog
      title={`Merge ${shownName(source)} into ${shownName(destination)}`}
      action="Merge"
      onClose={onClose}
      onSubmit={merge}
      describe={describe}
    >
      <Field label="Commit Message" placeholder="Commit Message (Optional)" value={message} onInput={setMessage} lines={2} focus />
      <Choice label="Strategy" value={strategy} onChange={setStrategy} options={strategies} hint={strategyHints[strategy]} />
      <Check label="Squash: one commit without the history of the source" checked={squash} onChange={setSquash} />
      {metadata.fields}
    </FormDialog>
  );
}
