/** One pull request: what was said, its commits, its files, its checks. */

import { Empty, Refusal, Tabs, With, branchResource, shownName, to, useAsync, useDenial } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { MergeAlert } from './merge-alert.js';
import { useMergeState } from './merge-state.js';
import { useOff } from './off.js';
import { PullChecks } from './pull-checks.js';
import { PullCommits } from './pull-commits.js';
import { PullConversation } from './pull-conversation.js';
import { PullDialog } from './pull-dialog.js';
import { PullFacts } from './pull-facts.js';
import { PullFiles } from './pull-files.js';
import { PullToolbar } from './pull-toolbar.js';
import { getPullRequest } from './shapes.js';
import { useComments } from './use-comments.js';
import type { RepositoryPlace } from '@srv/lib-page/page';
import type { PullAction } from './pull-dialog.js';
import type { PullRequest } from './shapes.js';

interface PullPageProps extends RepositoryPlace {
  readonly id: string;
  /** Which of its tabs is open; absent: the first. */
  readonly tab: string | undefined;
}

export function PullPage({ id, ...at }: PullPageProps) {
  const pull = useAsync(signal => getPullRequest(at.repository, id, signal), [at.repository, id]);
  if (pull.state === 'failed' && isUnknown(pull.error)) return <Unknown repository={at.repository} id={id} />;
  return <With answer={pull}>{found => <Shown {...at} pull={found} onChanged={pull.reload} />}</With>;
}

/** Also a text that is not the id of any. */
const isUnknown = (error: unknown): boolean => error instanceof Refusal && (error.status === 400 || error.status === 404);

function Unknown({ repository, id }: { readonly repository: string; readonly id: string }) {
  return (
    <Empty icon="search" title="There is no such pull request">
      <p>
        No pull request of {repository} has the id {shownName(id)}.
      </p>
      <a href={to('repositories', repository, 'pulls')}>All pull requests</a>
    </Empty>
  );
}

interface ShownProps extends Omit<PullPageProps, 'id'> {
  readonly pull: PullRequest;
  readonly onChanged: () => void;
}

function Shown({ repository, readOnly, pull, tab = 'conversation', onChanged }: ShownProps) {
  const [action, setAction] = useState<PullAction>();
  const [turn, setTurn] = useState(0);
  const off = useOff(repository, readOnly);
  const comments = useComments(repository, pull.id);
  const state = useMergeState(repository, pull, turn);
  const mayNotMerge = useDenial('fs:CreateCommit', branchResource(repository, pull.destination_branch));
  const said = comments.all.filter(({ deleted }) => !deleted).length;
  const shared = { repository, pull, off, comments };
  const link = (id: string, title: string) => ({
    id,
    title,
    href: to('repositories', repository, 'pulls', pull.id, ...(id === 'conversation' ? [] : [id])),
  });
  return (
    <>
      <PullToolbar pull={pull} off={off} mergeOff={state.refusal ?? mayNotMerge} onAct={setAction} />
      <PullFacts repository={repository} pull={pull} />
      <MergeAlert repository={repository} pull={pull} state={state} off={off} onSettled={() => setTurn(turn + 1)} />
      <Tabs
        label="Pull request"
        class="tabs gap"
        open={tab}
        tabs={[
          link('conversation', said === 0 ? 'Conversation' : `Conversation (${said})`),
          link('commits', 'Commits'),
          link('files', 'Files'),
          link('checks', 'Checks'),
        ]}
      />
      {tab === 'commits' ? (
        <PullCommits repository={repository} pull={pull} turn={turn} />
      ) : tab === 'files' ? (
        <PullFiles {...shared} turn={turn} />
      ) : tab === 'checks' ? (
        <PullChecks repository={repository} pull={pull} off={off} />
      ) : (
        <PullConversation {...shared} readOnly={readOnly} />
      )}
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
