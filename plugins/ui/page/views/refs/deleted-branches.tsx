/** Branches that can be restored. */
import { Button, Empty, Time, With, call, messageOf, notify, shownName, useAsync } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';

interface DeletedBranchesProps {
  readonly repository: string;
  /** Why they cannot be restored. */
  readonly off: string | undefined;
  readonly onRestored: () => void;
}

/** The API's largest page. */
const mostShown = 1000;

export function DeletedBranches(props: DeletedBranchesProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="after-card" open={isOpen} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>Deleted branches</summary>
      {isOpen && <List {...props} />}
    </details>
  );
}

function List({ repository, off, onRestored }: DeletedBranchesProps) {
  const found = useAsync(signal => call('listDeletedBranches', { repository, amount: mostShown }, { signal }), [repository]);
  const restore = async (branch: string): Promise<void> => {
    try {
      await call('undeleteBranch', { repository, branch });
      notify(`Restored ${shownName(branch)}`);
      found.reload();
      onRestored();
    } catch (error) {
      notify(messageOf(error), 'failed');
    }
  };
  return (
    <section class="card" aria-label="Deleted branches">
      <With answer={found} rows={1}>
        {({ results }) =>
          results.length === 0 ? (
            <Empty icon="trash" title="No deleted branch can be restored" />
          ) : (
            <div>
              {results.map(({ id, deleted_at: at, deleted_by: by }) => (
                <div class="row group" key={id}>
                  <bdi class="mono">{shownName(id)}</bdi>
                  <span>
                    deleted <Time seconds={Date.parse(at) / 1000} />
                    {by === undefined ? '' : ` by ${by}`}
                  </span>
                  <span class="spread">
                    <Button kind="plain" icon="refresh" off={off} onClick={() => restore(id)}>
                      Restore
                    </Button>
                  </span>
                </div>
              ))}
            </div>
          )
        }
      </With>
    </section>
  );
}
