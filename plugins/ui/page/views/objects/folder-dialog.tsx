/** What can be done with a folder of a branch, each in a dialog. */
import { usePlace } from '../../core/location.js';
import { later } from '../../parts/lazy.js';

const CommitDialog = later(() => import('../changes/commit-dialog.js').then(module => module.CommitDialog));
const ImportDialog = later(() => import('../../features/import/import-dialog.js').then(module => module.ImportDialog));
const ResetDialog = later(() => import('../changes/reset-dialog.js').then(module => module.ResetDialog));
const UploadDialog = later(() => import('./upload/upload-dialog.js').then(module => module.UploadDialog));

export type FolderAction = 'upload' | 'commit' | 'reset' | 'import';

interface FolderDialogProps {
  readonly dialog: FolderAction;
  readonly repository: string;
  readonly branch: string;
  readonly folder: string;
  /** What was dropped on the page. */
  readonly dropped: DataTransfer | undefined;
  readonly onClose: (changed: boolean) => void;
}

export function FolderDialog({ dialog, repository, branch, folder, dropped, onClose }: FolderDialogProps) {
  const place = usePlace();
  const at = { repository, branch };
  if (dialog === 'upload') return <UploadDialog {...at} folder={folder} {...(dropped ? { dropped } : {})} onClose={onClose} />;
  if (dialog === 'import') return <ImportDialog {...at} folder={folder} onClose={onClose} />;
  const Changes = dialog === 'commit' ? CommitDialog : ResetDialog;
  return (
    <Changes
      {...at}
      onClose={() => onClose(false)}
      onDone={() => {
        place.vary({ showChanges: undefined });
        onClose(true);
      }}
    />
  );
}
