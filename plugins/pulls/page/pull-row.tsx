/** A pull request in the list. */
import { Icon, Time, shownName, to } from '@srv/lib-page/page';
import { secondsOf } from './shapes.js';
import { StatusBadge } from './status-badge.js';
import type { PullRequest } from './shapes.js';

const said: Readonly<Record<PullRequest['status'], string>> = { open: 'opened', closed: 'closed', merged: 'Merged' };

export function PullRow({ repository, pull }: { readonly repository: string; readonly pull: PullRequest }) {
  const { id, title, status, author, creation_date: created, closed_date: closed = created } = pull;
  return (
    <div class="row pull-row" role="row">
      <div role="cell">
        <div class="cell-name">
          <a href={to('repositories', repository, 'pulls', id)}>{shownName(title)}</a>
          <StatusBadge status={status} />
        </div>
        <div class="small muted one-line">
          {said[status]} <Time seconds={secondsOf(status === 'open' ? created : closed)} /> by {shownName(author)}
        </div>
      </div>
      <div role="cell" class="group wide-only">
        <span class="badge">{shownName(pull.destination_branch)}</span>
        <Icon name="right" class="flipped" />
        <span class="badge">{shownName(pull.source_branch)}</span>
      </div>
    </div>
  );
}
