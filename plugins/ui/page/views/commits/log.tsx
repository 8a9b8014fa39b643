/** The log: commits from a ref backwards, with their graph. */

import { Button, Empty, ListPage, PagedRows, RefPicker, to, useAsync, usePlace } from '@srv/lib-page/page';
import { useMemo } from 'preact/hooks';
import { layOut } from '../../../src/model/graph.js';
import { resolveRef } from '../../core/refs.js';
import { MissingRef } from '../../parts/missing-ref.js';
import { CommitMenu, useCommitRefusals } from './commit-menu.js';
import { CommitRow } from './commit-row.js';
import { graphWidth, rowHeight } from './graph-lanes.js';
import { LogFilterBadge, LogSearch, useLogFilter } from './log-filter.js';
import { useLogPages } from './log-pages.js';
import { RevertButtons, RevertChosen, useReverting } from './reverting.js';
import { useTagsOfCommits } from './tags-of-commits.js';
import type { RepositoryPlace } from '@srv/lib-page/page';

export function Log(at: RepositoryPlace) {
  const { repository, ref } = at;
  const place = usePlace();
  const filter = useLogFilter();
  const isOfContent = filter?.object !== undefined || filter?.prefix !== undefined;
  const resolved = useAsync(signal => resolveRef(repository, ref, signal), [repository, ref]);
  const branch = resolved.state === 'ready' && resolved.value.kind === 'branch' ? ref : undefined;
  const pages = useLogPages(repository, ref, filter);
  const tags = useTagsOfCommits(repository);
  const graph = useMemo(() => (filter ? undefined : layOut(pages.items)), [pages.items, filter === undefined]);
  const refusals = useCommitRefusals(at, branch);
  const reverting = useReverting({
    list: [repository, ref, filter],
    commits: pages.items,
    off: refusals.revert ?? (branch === undefined ? 'choose a branch to revert commits of' : undefined),
  });
  return (
    <ListPage>
      <div class="toolbar">
        <RefPicker
          repository={repository}
          value={ref}
          label={resolved.state === 'ready' ? `${resolved.value.kind}: ` : 'ref: '}
          onPick={picked => place.vary({ ref: picked })}
        />
        {filter && <LogFilterBadge filter={filter} />}
        <span class="spread group">
          <RevertButtons reverting={reverting} />
          <Button kind="plain" icon="refresh" label="Refresh" onClick={pages.reload} />
        </span>
      </div>
      <div class="card">
        <LogSearch filter={filter} />
        {resolved.state === 'failed' && pages.state === 'failed' ? (
          <MissingRef refs={[ref]} error={resolved.error} retry={pages.reload} />
        ) : (
          <PagedRows
            label="Commits"
            class="tall"
            pages={pages}
            items={pages.items}
            height={rowHeight}
            empty={
              <Empty icon="commit" title={isOfContent ? 'No commit has changed it' : filter ? 'No commit matches' : 'No commits'}>
                {isOfContent && <p>What is uncommitted is not in the log.</p>}
              </Empty>
            }
            row={(commit, i) => (
              <CommitRow
                key={commit.id}
                repository={repository}
                commit={commit}
                tags={tags.get(commit.id) ?? []}
                graphWidth={graphWidth(graph?.width ?? 0)}
                graph={graph?.rows[i]}
                selection={reverting.isOn ? reverting.selection : undefined}
                object={filter?.object}
              >
                <CommitMenu repository={repository} off={refusals} commit={commit} branch={branch} onDone={pages.reload} />
              </CommitRow>
            )}
          />
        )}
      </div>
      <RevertChosen
        repository={repository}
        branch={branch}
        reverting={reverting}
        onDone={() => {
          place.go(to('repositories', repository, 'commits', { ref: branch }));
          pages.reload();
        }}
      />
    </ListPage>
  );
}
