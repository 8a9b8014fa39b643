/** A run in the list. */
import { Time, commitOf, objectsOf, shortRef, shownName, to } from '@srv/lib-page/page';
import { badgeOf, tookText } from './shapes.js';
import type { ActionRun } from './shapes.js';

export function RunHead() {
  return (
    <div class="row head-row run-row" role="row">
      <span role="columnheader">Status</span>
      <span role="columnheader">Run</span>
      <span role="columnheader" class="wide-only">
        Branch
      </span>
      <span role="columnheader" class="wide-only">
        Started
      </span>
      <span role="columnheader" class="wide-only">
        Commit
      </span>
    </div>
  );
}

export function RunRow({ repository, run }: { readonly repository: string; readonly run: ActionRun }) {
  const { run_id: id, status, event_type: event, branch, start_time: start, end_time: end, commit_id: commit } = run;
  return (
    <div class="row run-row" role="row">
      <span role="cell">
        <span class={`badge ${badgeOf[status]}`}>{status}</span>
      </span>
      <span role="cell" class="cell-name">
        <a href={to('repositories', repository, 'actions', id)}>
          {event} <span class="muted small">{tookText(start, end)}</span>
        </a>
      </span>
      <span role="cell" class="one-line wide-only">
        <a href={objectsOf(repository, branch)}>{shownName(branch)}</a>
      </span>
      <span role="cell" class="muted wide-only">
        <Time seconds={Date.parse(start) / 1000} />
      </span>
      <span role="cell" class="wide-only">
        {commit !== '' && (
          <a class="mono" href={commitOf(repository, commit)}>
            {shortRef(commit)}
          </a>
        )}
      </span>
    </div>
  );
}
