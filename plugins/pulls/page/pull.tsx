/** One pull request. */
import { useState } from 'preact/hooks';
import {
  Button,
  ChangeTree,
  Empty,
  Field,
  FormDialog,
  Markdown,
  Time,
  With,
  ask,
  call,
  commitOf,
  counted,
  explained,
  notify,
  objectsOf,
  shortRef,
  shownName,
  useAsync,
  usePlace,
} from '@srv/lib-page/page';
import { getPullRequest, secondsOf } from './shapes.js';
import type { RepositoryPlace } from '@srv/lib-page/page';
import type { PullRequest } from './shapes.js';
// Completes the types of operations.
import type {} from '@srv/engine/operations';

export function PullPage({ id, ...at }: RepositoryPlace & { readonly id: string }) {
  const pull = useAsync(signal => getPullRequest(at.repository, id, signal), [at.repository, id]);
  return <With answer={pull}>{found => <Shown {...at} pull={found} onChanged={pull.reload} />}</With>;
}

interface ShownProps extends RepositoryPlace {
  readonly pull: PullRequest;
  readonly onChanged: () => void;
}

type Doing = 'merge' | 'close' | 'reopen' | 'edit';

function Shown({ repository, readOnly, pull, onChanged }: ShownProps) {
  const place = usePlace();
  const [doing, setDoing] = useState<Doing>();
  const { id, title, status, author, source_branch: source, destination_branch: destination, description, merged_commit_id: merged } = pull;
  const isOpen = status === 'open';
  const differ = useAsync(
    async signal =>
      isOpen && (await call('diffRefs', { repository, leftRef: destination, rightRef: source, amount: 1 }, { signal })).results.length > 0,
    [repository, destination, source, isOpen],
  );
  const off = readOnly ? 'this repository is read-only' : undefined;
  const done = (): void => {
    setDoing(undefined);
    onChanged();
  };
  return (
    <>
      <div class="toolbar">
        <h2>{shownName(title)}</h2>
        <span class={`badge ${isOpen ? 'added' : status === 'merged' ? 'accent' : ''}`}>{status}</span>
        <span class="spread group">
          <Button off={off} onClick={() => setDoing('edit')}>
            Edit
          </Button>
          {isOpen && (
            <>
              <Button off={off} onClick={() => setDoing('close')}>
                Close pull request
              </Button>
              <Button
                kind="primary"
                icon="merge"
                off={
                  off ??
                  (differ.state === 'failed'
                    ? 'a branch of it does not exist any more'
                    : differ.state === 'ready' && !differ.value && 'there is nothing to merge')
                }
                onClick={() => setDoing('merge')}
              >
                Merge pull request
              </Button>
            </>
          )}
          {status === 'closed' && (
            <Button off={off} onClick={() => setDoing('reopen')}>
              Reopen
            </Button>
          )}
        </span>
      </div>
      <div class="card gap">
        <div class="card-body form">
          <p>
            <strong>{shownName(author)}</strong> wants to merge <a href={objectsOf(repository, source)}>{shownName(source)}</a> into{' '}
            <a href={objectsOf(repository, destination)}>{shownName(destination)}</a> · opened{' '}
            <Time seconds={secondsOf(pull.creation_date)} />
            {pull.closed_date !== undefined && !isOpen && (
              <>
                {' '}
                · {status} <Time seconds={secondsOf(pull.closed_date)} />
              </>
            )}
            {merged && (
              <>
                {' '}
                as{' '}
                <a class="mono" href={commitOf(repository, merged)}>
                  {shortRef(merged)}
                </a>
              </>
            )}
          </p>
          {description === '' ? (
            <p class="muted">No description</p>
          ) : (
            <Markdown text={description} repository={repository} ref_={source} path="" noHtml />
          )}
        </div>
      </div>
      <ChangeTree
        repository={repository}
        left={merged ? `${merged}~1` : destination}
        right={merged || source}
        prefix={place.query['prefix'] ?? ''}
        name={[repository, id, status]}
        load={(prefix, after, signal) =>
          call(
            'diffRefs',
            {
              repository,
              leftRef: merged ? `${merged}~1` : destination,
              rightRef: merged || source,
              prefix,
              delimiter: '/',
              after,
              amount: 1000,
            },
            { signal },
          )
        }
        onPrefix={prefix => place.vary({ prefix })}
        title={count => `${destination}...${source}/ · ${counted(count, 'change')}`}
        empty={<Empty icon="check" title="No changes" />}
      />
      {doing && <Work repository={repository} pull={pull} doing={doing} onClose={() => setDoing(undefined)} onDone={done} />}
    </>
  );
}

interface WorkProps {
  readonly repository: string;
  readonly pull: PullRequest;
  readonly doing: Doing;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const titles: Readonly<Record<Doing, string>> = {
  merge: 'Merge pull request',
  close: 'Close pull request',
  reopen: 'Reopen pull request',
  edit: 'Edit pull request',
};

function Work({ repository, pull, doing, onClose, onDone }: WorkProps) {
  const [title, setTitle] = useState(pull.title);
  const [description, setDescription] = useState(pull.description);
  const at = { repository, pull_request: pull.id };
  const work = async (): Promise<void> => {
    if (doing === 'merge') await ask('mergePullRequest', at);
    else
      await ask('updatePullRequest', {
        ...at,
        body: doing === 'edit' ? { title, description } : { status: doing === 'close' ? 'closed' : 'open' },
      });
    notify({ merge: 'Merged', close: 'Closed', reopen: 'Reopened', edit: 'Saved' }[doing]);
    onDone();
  };
  return (
    <FormDialog
      title={titles[doing]}
      action={doing === 'edit' ? 'Save' : 'Yes'}
      off={doing === 'edit' && title.trim() === '' && 'give it a title'}
      onClose={onClose}
      onSubmit={work}
      describe={error => explained(error, repository)}
    >
      {doing === 'edit' ? (
        <>
          <Field label="Title" value={title} onInput={setTitle} focus />
          <Field label="Description" value={description} onInput={setDescription} lines={6} hint="Markdown, without HTML" />
        </>
      ) : (
        <p>
          {doing === 'merge' ? (
            <>
              Merge <strong>{shownName(pull.source_branch)}</strong> into <strong>{shownName(pull.destination_branch)}</strong>?
            </>
          ) : (
            titles[doing]
          )}
        </p>
      )}
    </FormDialog>
  );
}
