/** Two refs side by side, and the merge of one into the other. */
import { useState } from 'preact/hooks';
import {
  ActionButtons,
  Button,
  Check,
  Empty,
  Failed,
  RefPicker,
  branchResource,
  call,
  counted,
  shownName,
  useAsync,
  useDenial,
  usePlace,
} from '@srv/lib-page/page';
import { resolveRef } from '../../core/refs.js';
import { ChangeTree } from '../changes/change-tree.js';
import { MergeDialog } from './merge-dialog.js';
import type { RepositoryPlace } from '@srv/lib-page/page';

export function Compare({ repository, ref, readOnly }: RepositoryPlace) {
  const place = usePlace();
  const other = place.query['compare'] ?? ref;
  const prefix = place.query['prefix'] ?? '';
  const asked = place.query['uncommitted'] === 'true';
  const [merging, setMerging] = useState(false);
  const [turn, setTurn] = useState(0);
  const facts = useAsync(
    async signal => {
      const [base, compared, any] = await Promise.all([
        resolveRef(repository, ref, signal),
        resolveRef(repository, other, signal),
        ref === other ? undefined : call('diffRefs', { repository, leftRef: ref, rightRef: other, amount: 1 }, { signal }),
      ]);
      const common =
        ref === other
          ? undefined
          : await call('findMergeBase', { repository, sourceRef: other, destinationBranch: ref }, { signal }).catch(() => undefined);
      return {
        base: base.kind,
        compared: compared.kind,
        branches: base.kind === 'branch' && compared.kind === 'branch',
        differ: (any?.results.length ?? 0) > 0,
        mergeBase: common?.base_commit_id,
      };
    },
    [repository, ref, other, turn],
  );
  const known = facts.state === 'ready' ? facts.value : undefined;
  const withUncommitted = asked && known?.compared === 'branch';
  const off =
    ref === other
      ? 'both sides are the same'
      : readOnly
        ? 'this repository is read-only'
        : known && !known.branches
          ? 'both sides have to be branches'
          : known && !known.differ
            ? 'there is nothing to merge'
            : undefined;
  const mayNotMerge = useDenial('fs:CreateCommit', branchResource(repository, ref));
  return (
    <>
      <div class="toolbar">
        <RefPicker
          repository={repository}
          value={ref}
          label="Base branch: "
          onPick={picked => place.vary({ ref: picked, prefix: undefined })}
        />
        <Button
          kind="plain"
          icon="swap"
          label="Swap the sides"
          onClick={() => place.vary({ ref: other, compare: ref, prefix: undefined })}
        />
        <RefPicker
          repository={repository}
          value={other}
          label="Compared to branch: "
          onPick={picked => place.vary({ compare: picked, prefix: undefined })}
        />
        {known?.compared === 'branch' && (
          <Check
            label={`With what is uncommitted on ${shownName(other)}`}
            checked={asked}
            onChange={checked => place.vary({ uncommitted: checked, prefix: undefined })}
          />
        )}
        <span class="spread group">
          <Button kind="plain" icon="refresh" label="Refresh" onClick={() => setTurn(turn + 1)} />
          <ActionButtons place="compare" about={{ repository, base: ref, compare: other }} off={off} />
          <Button kind="primary" icon="merge" off={off ?? mayNotMerge} onClick={() => setMerging(true)}>
            Merge
          </Button>
        </span>
      </div>
      {withUncommitted && known ? (
        <ChangeTree
          repository={repository}
          left={known.base === 'branch' ? `${ref}@` : ref}
          right={other}
          prefix={prefix}
          name={[repository, ref, other, turn, 'uncommitted']}
          load={(at, after, signal) =>
            call(
              'diffRefs',
              { repository, leftRef: ref, rightRef: `${other}$`, type: 'two_dot', prefix: at, delimiter: '/', after, amount: 1000 },
              { signal },
            )
          }
          onPrefix={at => place.vary({ prefix: at })}
          title={count => `${counted(count, 'difference')}, uncommitted ones included`}
          empty={
            <Empty icon="check" title="No differences">
              <p>Both sides have the same objects, and nothing else is uncommitted.</p>
            </Empty>
          }
        />
      ) : ref === other ? (
        <div class="card">
          <Empty icon="compare" title="There isn't anything to compare">
            <p>Choose two different refs.</p>
          </Empty>
        </div>
      ) : facts.state === 'failed' ? (
        <Failed error={facts.error} retry={facts.reload} />
      ) : (
        <ChangeTree
          repository={repository}
          left={known?.mergeBase || ref}
          right={other}
          prefix={prefix}
          name={[repository, ref, other, turn]}
          load={(at, after, signal) =>
            call('diffRefs', { repository, leftRef: ref, rightRef: other, prefix: at, delimiter: '/', after, amount: 1000 }, { signal })
          }
          onPrefix={at => place.vary({ prefix: at })}
          title={count => counted(count, 'change')}
          empty={
            <Empty icon="check" title="No changes">
              <p>The compared side has nothing that the base lacks.</p>
            </Empty>
          }
        />
      )}
      {merging && (
        <MergeDialog
          repository={repository}
          source={other}
          destination={ref}
          onClose={() => setMerging(false)}
          onDone={() => {
            setMerging(false);
            setTurn(turn + 1);
          }}
        />
      )}
    </>
  );
}
