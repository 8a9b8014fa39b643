/** One pull request. */

import { With, counted, useAsync } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { BranchChanges } from './branch-changes.js';
import { PullApprovals } from './pull-approvals.js';
import { PullChecks } from './pull-checks.js';
import { PullComments } from './pull-comments.js';
import { PullDialog } from './pull-dialog.js';
import { PullFacts } from './pull-facts.js';
import { PullReviewers } from './pull-reviewers.js';
import { PullToolbar } from './pull-toolbar.js';
import { getPullRequest } from './shapes.js';
import type { RepositoryPlace } from '@srv/lib-page/page';
import type { PullAction } from './pull-dialog.js';
import type { PullRequest } from './shapes.js';

export function PullPage({ id, ...at }: RepositoryPlace & { readonly id: string }) {
  const pull = useAsync(signal => getPullRequest(at.repository, id, signal), [at.repository, id]);
  return <With answer={pull}>{found => <Shown {...at} pull={found} onChanged={pull.reload} />}</With>;
}

interface ShownProps extends RepositoryPlace {
  readonly pull: PullRequest;
  readonly onChanged: () => void;
}

function Shown({ repository, readOnly, pull, onChanged }: ShownProps) {
  const [action, setAction] = useState<PullAction>();
  const off = readOnly ? 'this repository is read-only' : undefined;
  const { id, status, source_branch: source, destination_branch: destination, merged_commit_id: merged } = pull;
  return (
    <>
      <PullToolbar repository={repository} readOnly={readOnly} pull={pull} onAct={setAction} />
      <PullFacts repository={repository} pull={pull} />
      <PullReviewers repository={repository} pull={pull} off={off} />
      <PullChecks repository={repository} pull={pull} off={off} />
      <PullApprovals repository={repository} pull={pull} off={off} />
      <PullComments repository={repository} pull={pull} off={off} />
      <BranchChanges
        repository={repository}
        base={merged ? `${merged}~1` : destination}
        source={merged || source}
        name={[repository, id, status]}
        title={count => `${destination}...${source}/ · ${counted(count, 'change')}`}
      />
      {action && (
        <PullDialog
          repository={repository}
          pull={pull}
          action={action}
          onClose={() => setAction(undefined)}
          onDone={() => {
            setAction(undefined);
            onChanged();
          }}
        />
      )}
    </>
  );
}
