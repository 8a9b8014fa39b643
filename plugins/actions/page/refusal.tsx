/** The way from the refusal of a hook to its run. */
import { to } from '@srv/lib-page/page';
import type { RefusalProps } from '@srv/lib-page/page';

/** Ids of runs: 20 digits that count down, then a random part. */
const runId = /run[ _]?id[ :'"]+([\w-]{8,})/i;

export default function Refused({ repository, message }: RefusalProps) {
  const run = runId.exec(message)?.[1];
  return (
    <a href={run === undefined ? to('repositories', repository, 'actions') : to('repositories', repository, 'actions', run)}>
      {run === undefined ? 'See the runs of actions' : 'See the run'}
    </a>
  );
}
