/** What can be done with a folder of a branch, each in a dialog. */
import { later, usePlace } from '@srv/lib-page/page';
import type { Action } from '@srv/lib-page/page';

const CommitDialog = later(() => import('../changes/commit-dialog.js').then(module => module.CommitDialog));
const ResetDialog = later(() => import('../changes/reset-dialog.js').then(module => module.ResetDialog));
const UploadDialog = later(() => import('./upload/upload-dialog.js').then(module => module.UploadDialog));

/** Of the page itself, or of a part. */
export type FolderAction = 'upload' | 'commit' | 'reset' | Action;

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
  if (dialog === 'upload') return <UploadDialog {...at} folder={folder} dropped={dropped} onClose={onClose} />;
  if (typeof dialog === 'object') return <>{dialog.dialog?.({ ...at, folder, onClose })}</>;
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
