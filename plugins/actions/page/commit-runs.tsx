/** What actions did about a commit, beside its facts. */
import { Time, With, to, useAsync } from '@srv/lib-page/page';
import { badgeOf, listRuns, tookText } from './shapes.js';
import './style.css';
import type { RepositoryPlace } from '@srv/lib-page/page';

export default function CommitRuns({ repository, ref: commit }: RepositoryPlace) {
  const runs = useAsync(async signal => (await listRuns(repository, { commit }, '', signal)).results, [repository, commit]);
  return (
    <With answer={runs}>
      {found =>
        found.length === 0 ? (
          <p class="card-body muted">No action ran for this commit.</p>
        ) : (
          <ul class="bare-list">
            {found.map(({ run_id: id, event_type: event, status, start_time: start, end_time: end }) => (
              <li key={id}>
                <div class="row run-line">
                  <span class={`badge ${badgeOf[status]}`}>{status}</span>
                  <a href={to('repositories', repository, 'actions', id)}>
                    {event} <span class="muted small">{tookText(start, end)}</span>
                  </a>
                  <span class="muted">
                    <Time seconds={Date.parse(start) / 1000} />
                  </span>
                </div>
              </li>
            ))}
          </ul>
        )
      }
    </With>
  );
}
