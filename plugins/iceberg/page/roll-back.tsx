/** Makes an earlier snapshot of a table the current one; on branches. */
import { Button, Choice, FormDialog, ask, notify, shownName, useAsync, useDenial } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { fullName, tableResource } from './shapes.js';
import type { Page } from '@srv/lib-page/page';
import type { ShownTable, TableSnapshot } from './shapes.js';

interface RollBackProps {
  readonly repository: string;
  readonly ref_: string;
  readonly table: ShownTable;
  readonly onDone: () => void;
}

export function RollBack({ repository, ref_: ref, table, onDone }: RollBackProps) {
  const [isOpen, setOpen] = useState(false);
  const branch = useAsync(
    // Of the branches that begin so, a branch of this very name is the first.
    async signal => {
      const { results } = (await ask('listBranches', { repository, prefix: ref, amount: 1 }, { signal })) as Page<{ readonly id: string }>;
      return results[0]?.id === ref;
    },
    [repository, ref],
  );
  const denied = useDenial('catalog:UpdateTable', tableResource(repository, table));
  const earlier = table.snapshots.filter(({ snapshot_id: id }) => id !== table.current_snapshot_id).toReversed();
  if (branch.state !== 'ready' || !branch.value) return null;
  return (
    <>
      <Button icon="undo" off={denied ?? (earlier.length === 0 && 'the table has no other snapshot')} onClick={() => setOpen(true)}>
        Roll Back
      </Button>
      {isOpen && (
        <RollBackDialog
          repository={repository}
          branch={ref}
          table={table}
          earlier={earlier}
          onClose={() => setOpen(false)}
          onDone={onDone}
        />
      )}
    </>
  );
}

interface RollBackDialogProps extends Omit<RollBackProps, 'ref_'> {
  readonly branch: string;
  readonly earlier: readonly TableSnapshot[];
  readonly onClose: () => void;
}

function RollBackDialog({ repository, branch, table, earlier, onClose, onDone }: RollBackDialogProps) {
  const [id, setId] = useState(earlier[0]?.snapshot_id ?? '');
  const name = fullName(table);
  return (
    <FormDialog
      title={`Roll ${shownName(table.name)} back`}
      action="Roll back"
      onClose={onClose}
      onSubmit={async () => {
        await ask('rollbackTable', { repository, branch, body: { name, snapshot_id: id } });
        notify(`${shownName(name)} is at snapshot ${id}`);
        onClose();
        onDone();
      }}
    >
      <Choice label="Snapshot" value={id} onChange={setId} options={earlier.map(snapshot => [snapshot.snapshot_id, textOf(snapshot)])} />
      <p class="muted">It is a change of {shownName(branch)} that is not committed; later snapshots stay in the table.</p>
    </FormDialog>
  );
}

function textOf({ snapshot_id: id, creation_date: date, operation, records }: TableSnapshot): string {
  const facts = [new Date(date * 1000).toISOString(), operation, records === undefined ? undefined : `${records} rows`];
  return `${id} (${facts.filter(Boolean).join(', ')})`;
}
