/** Two refs side by side, and the merge of one into the other. */

import { Empty, usePlace } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { CompareToolbar } from './compare-toolbar.js';
import { mergeRefusal, useComparison } from './comparison.js';
import { Differences } from './differences.js';
import { MergeDialog } from './merge-dialog.js';
import { MissingSide } from './missing-side.js';
import type { RepositoryPlace } from '@srv/lib-page/page';

export function Compare({ repository, ref: base, readOnly }: RepositoryPlace) {
  const place = usePlace();
  const compared = place.query['compare'] ?? base;
  const asked = place.query['uncommitted'] === 'true';
  const [merging, setMerging] = useState(false);
  const [turn, setTurn] = useState(0);
  const comparison = useComparison(repository, base, compared, turn);
  const known = comparison.state === 'ready' ? comparison.value : undefined;
  const sides = { repository, base, compared };
  const mayBeDirty = known?.compared === 'branch';
  const withUncommitted = asked && mayBeDirty;
  const committedBase = known?.base === 'branch' ? `${base}@` : base;
  const left = withUncommitted ? committedBase : known?.mergeBase || base;
  return (
    <>
      <CompareToolbar
        {...sides}
        mayBeDirty={mayBeDirty}
        withUncommitted={asked}
        off={mergeRefusal({ base, compared, readOnly, known })}
        onReload={() => setTurn(turn + 1)}
        onMerge={() => setMerging(true)}
      />
      {base === compared && !withUncommitted ? (
        <div class="card">
          <Empty icon="compare" title="There isn't anything to compare">
            <p>Choose two different refs.</p>
          </Empty>
        </div>
      ) : comparison.state === 'failed' ? (
        <div class="card">
          <MissingSide {...sides} error={comparison.error} retry={comparison.reload} />
        </div>
      ) : (
        <Differences {...sides} left={left} withUncommitted={withUncommitted} turn={turn} />
      )}
      {merging && (
        <MergeDialog
          repository={repository}
          source={compared}
          destination={base}
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
