/** The dialog that is open over the branches. */
import { later } from '@srv/lib-page/page';
import { CreateRef } from './create-ref.js';
import { DeleteRefs } from './delete-refs.js';

const MergeDialog = later(() => import('../compare/merge-dialog.js').then(module => module.MergeDialog));

export type BranchAction =
  | { readonly kind: 'create'; readonly source: string }
  | { readonly kind: 'merge'; readonly source: string }
  | { readonly kind: 'delete'; readonly names: readonly string[] };

interface BranchDialogProps {
  readonly repository: string;
  /** The default branch. */
  readonly main: string;
  readonly action: BranchAction;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function BranchDialog({ repository, main, action, onClose, onDone }: BranchDialogProps) {
  switch (action.kind) {
    case 'create':
      return <CreateRef repository={repository} kind="branch" source={action.source} onClose={onClose} onDone={onDone} />;
    case 'merge':
      return <MergeDialog repository={repository} source={action.source} destination={main} onClose={onClose} onDone={onDone} />;
    case 'delete':
      return <DeleteRefs repository={repository} kind="branch" names={action.names} onClose={onClose} onDone={onDone} />;
  }
}
