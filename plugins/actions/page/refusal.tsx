/** What the hooks that refused a change said, and the way to their run. */
import { shownName, to } from '@srv/lib-page/page';
import { reasonsIn } from './reasons.js';
import type { RefusalProps } from '@srv/lib-page/page';

/** Ids of runs: 20 digits that count down, then a random part. */
const runId = /run[ _]?id[ :'"]+([\w-]{8,})/i;

export default function Refused({ repository, message }: RefusalProps) {
  const run = runId.exec(message)?.[1];
  return (
    <>
      {reasonsIn(message).map(({ action, hook, reason }, i) => (
        <p key={i}>
          <strong>{shownName(reason)}</strong> <span class="muted">said the hook {`${shownName(hook)} of ${shownName(action)}`}</span>
        </p>
      ))}
      <a href={run === undefined ? to('repositories', repository, 'actions') : to('repositories', repository, 'actions', run)}>
        {run === undefined ? 'See the runs of actions' : 'See the run'}
      </a>
    </>
  );
}
