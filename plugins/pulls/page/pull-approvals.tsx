/** Who has approved a pull request as it is now, and the own approval. */
import {
  Button,
  Time,
  With,
  ask,
  messageOf,
  notify,
  repositoryResource,
  session,
  shortRef,
  shownName,
  useAsync,
  useDenial,
} from '@srv/lib-page/page';
import { getApprovals, secondsOf } from './shapes.js';
import type { Approvals, PullRequest } from './shapes.js';

interface PullApprovalsProps {
  readonly repository: string;
  readonly pull: PullRequest;
  readonly readOnly: boolean;
}

export function PullApprovals({ repository, pull, readOnly }: PullApprovalsProps) {
  const denied = useDenial('pr:ApprovePullRequest', repositoryResource(repository));
  const off = readOnly ? 'this repository is read-only' : denied;
  const found = useAsync(signal => getApprovals(repository, pull.id, signal), [repository, pull.id, pull.status]);
  const run = async (operation: string, commit: string): Promise<void> => {
    const at = { repository, pull_request: pull.id };
    try {
      await ask(operation, operation === 'approvePullRequest' ? { ...at, body: { commit_id: commit } } : at);
    } catch (error) {
      notify(messageOf(error), 'failed');
    }
    found.reload();
  };
  return (
    <section class="card gap" aria-label="Approvals">
      <div class="card-body">
        <With answer={found} rows={1}>
          {state => <Given state={state} pull={pull} off={off} onRun={operation => void run(operation, state.commit_id)} />}
        </With>
      </div>
    </section>
  );
}

interface GivenProps extends Pick<PullApprovalsProps, 'pull'> {
  /** Why it cannot be approved. */
  readonly off: string | undefined;
  readonly state: Approvals;
  readonly onRun: (operation: 'approvePullRequest' | 'withdrawPullRequestApproval') => void;
}

function Given({ state: { required, approved, commit_id: commit, results }, pull, off, onRun }: GivenProps) {
  const own = session.value.state === 'in' ? session.value.user.id : '';
  const isAuthor = pull.author === own;
  const mine = results.some(({ user_id: id }) => id === own);
  return (
    <div class="group">
      <span class={`badge ${approved && required > 0 ? 'accent' : ''}`}>
        {required === 0 ? `${results.length} approvals` : `${results.length} of ${required} approvals`}
      </span>
      {commit !== '' && <span class="muted">of commit {shortRef(commit)}</span>}
      {results.map(({ user_id: id, user, creation_date: at }) => (
        <span key={id}>
          {shownName(user)} <Time seconds={secondsOf(at)} />
        </span>
      ))}
      {pull.status === 'open' && (
        <span class="spread">
          {mine ? (
            <Button off={off} onClick={() => onRun('withdrawPullRequestApproval')}>
              Withdraw approval
            </Button>
          ) : (
            <Button
              icon="check"
              off={off ?? (isAuthor ? 'authors cannot approve their own' : undefined)}
              onClick={() => onRun('approvePullRequest')}
            >
              Approve
            </Button>
          )}
        </span>
      )}
    </div>
  );
}
