/** Brings an object of a commit or tag back to a branch, as an uncommitted change. */

import { FormDialog, RefPicker, call, notify, objectOf, shortRef, shownName, usePlace } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';

interface RestoreDialogProps {
  readonly repository: string;
  /** Where the version is. */
  readonly ref_: string;
  readonly path: string;
  readonly onClose: () => void;
}

export function RestoreDialog({ repository, ref_: from, path, onClose }: RestoreDialogProps) {
  const place = usePlace();
  const [branch, setBranch] = useState('');
  const restore = async (): Promise<void> => {
    await call('copyObject', { repository, branch, dest_path: path, body: { src_path: path, src_ref: from } });
    notify(`Restored ${shownName(path)} on ${shownName(branch)}`);
    onClose();
    place.go(objectOf(repository, branch, path));
  };
  return (
    <FormDialog
      title={`Restore ${shownName(path)}`}
      action="Restore"
      off={branch === '' && 'choose a branch'}
      onClose={onClose}
      onSubmit={restore}
    >
      <p>
        The object as it was at <code>{shownName(shortRef(from))}</code> takes the place of what the branch has. It is uncommitted until you
        commit it.
      </p>
      <div>
        <RefPicker repository={repository} value={branch} label="On branch: " kinds={['Branches']} onPick={setBranch} />
      </div>
    </FormDialog>
  );
}
