/** What a run was for, and how long it took. */
import { Time, commitOf, objectsOf, shortRef, shownName, to } from '@srv/lib-page/page';
import { tookText } from './shapes.js';
import type { ActionRun } from './shapes.js';

export function RunFacts({ repository, run }: { readonly repository: string; readonly run: ActionRun }) {
  const { run_id: id, branch, commit_id: commit, start_time: start, end_time: end, repeats } = run;
  return (
    <div class="card gap">
      <div class="card-body">
        <dl class="facts">
          <dt>Run</dt>
          <dd class="mono">{id}</dd>
          {repeats !== undefined && (
            <>
              <dt>Repeats</dt>
              <dd class="mono">
                <a href={to('repositories', repository, 'actions', repeats)}>{repeats}</a>
              </dd>
            </>
          )}
          <dt>Branch</dt>
          <dd>
            <a href={objectsOf(repository, branch)}>{shownName(branch)}</a>
          </dd>
          <dt>Commit</dt>
          <dd>
            {commit === '' ? (
              <span class="muted">none</span>
            ) : (
              <a class="mono" href={commitOf(repository, commit)}>
                {shortRef(commit)}
              </a>
            )}
          </dd>
          <dt>Started</dt>
          <dd>
            <Time seconds={Date.parse(start) / 1000} /> · took {tookText(start, end)}
          </dd>
        </dl>
      </div>
    </div>
  );
}
