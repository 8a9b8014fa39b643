/** Deletes branches or tags, one after the other. */
import { Confirm, call, counted, messageOf, notify, shownName } from '@srv/lib-page/page';

interface DeleteRefsProps {
  readonly repository: string;
  readonly kind: 'branch' | 'tag';
  readonly names: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const mostListed = 10;

/** Those that cannot be deleted are named; the others are gone. */
export function DeleteRefs({ repository, kind, names, onClose, onDone }: DeleteRefsProps) {
  const many = kind === 'branch' ? 'branches' : 'tags';
  const remove = async (): Promise<void> => {
    const failed: string[] = [];
    for (const name of names) {
      try {
        if (kind === 'branch') await call('deleteBranch', { repository, branch: name });
        else await call('deleteTag', { repository, tag: name });
      } catch (error) {
        failed.push(`${shownName(name)}: ${messageOf(error)}`);
      }
    }
    if (failed.length === names.length) throw new Error(failed.slice(0, mostListed).join('\n'));
    notify(`Deleted ${counted(names.length - failed.length, kind, many)}`);
    if (failed.length > 0) notify(`Not deleted: ${failed.slice(0, mostListed).join('; ')}`, 'failed');
    onDone();
  };
  return (
    <Confirm title={`Delete ${counted(names.length, kind, many)}`} action="Yes, delete" onClose={onClose} onConfirm={remove}>
      <ul>
        {names.slice(0, mostListed).map(name => (
          <li key={name}>{shownName(name)}</li>
        ))}
      </ul>
      {names.length > mostListed && <p>and {counted(names.length - mostListed, 'other')}</p>}
      {kind === 'branch' && <p>Uncommitted changes are lost. “Deleted branches” below the list has those that can be restored.</p>}
    </Confirm>
  );
}
