/** The refusal of a hook, with the way to its run. */
import { Refusal, messageOf } from '../../core/client.js';
import { to } from '../../core/links.js';
import { offers } from '../../core/boot.js';

/** Ids of runs: 20 digits that count down, then a random part. */
const runId = /run[ _]?id[ :'"]+([\w-]{8,})/i;

export function hookFailure(error: unknown, repository: string) {
  const message = messageOf(error);
  if (!(error instanceof Refusal) || error.status !== 412 || !offers('getRun')) return message;
  const run = runId.exec(message)?.[1];
  return (
    <>
      {message}
      <br />
      <a href={run === undefined ? to('repositories', repository, 'actions') : to('repositories', repository, 'actions', run)}>
        {run === undefined ? 'See the runs of actions' : 'See the run'}
      </a>
    </>
  );
}
