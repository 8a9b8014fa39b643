/** The facts of a commit. */
import { ActionLinks, Copy, Icon, Time, commitOf, objectsOf, shortRef, shownName } from '@srv/lib-page/page';
import { titleAndBody } from '../../../src/model/commit-text.js';
import { metadataLink } from '../../../src/model/metadata-link.js';
import type { ComponentChildren } from 'preact';

export interface ShownCommit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly committer: string;
  readonly message: string;
  readonly creation_date: number;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

interface CommitCardProps {
  readonly repository: string;
  readonly commit: ShownCommit;
  /** Beside the message. */
  readonly children?: ComponentChildren;
}

export function CommitCard({ repository, commit, children }: CommitCardProps) {
  const metadata = Object.entries(commit.metadata ?? {});
  const { title, body } = titleAndBody(commit.message);
  return (
    <div class="form">
      <div class="commit-head">
        <h2>{title || '(no message)'}</h2>
        {children}
      </div>
      {body !== '' && <p class="commit-message">{body}</p>}
      <dl class="facts">
        <dt>Commit</dt>
        <dd>
          <a class="mono" href={commitOf(repository, commit.id)}>
            {shortRef(commit.id)}
          </a>{' '}
          <Copy text={commit.id} what="commit id" />
        </dd>
        <dt>Committer</dt>
        <dd>{shownName(commit.committer)}</dd>
        <dt>Time</dt>
        <dd>
          <Time seconds={commit.creation_date} />
        </dd>
        <dt>Parents</dt>
        <dd class="group">
          {commit.parents.length === 0 && <span class="muted">none</span>}
          {commit.parents.map(parent => (
            <a key={parent} class="mono" href={commitOf(repository, parent)}>
              {shortRef(parent)}
            </a>
          ))}
        </dd>
        {metadata.map(([key, value]) => {
          const link = metadataLink(key, value);
          return (
            <>
              <dt>{link ? link.label : shownName(key)}</dt>
              <dd>
                {link ? (
                  <a href={link.url} target="_blank" rel="noopener noreferrer nofollow">
                    Open {link.label} UI ({link.host})
                  </a>
                ) : (
                  shownName(value)
                )}
              </dd>
            </>
          );
        })}
      </dl>
      <div class="group">
        <a class="button" href={objectsOf(repository, commit.id)}>
          <Icon name="folder" /> Browse
        </a>
        <ActionLinks place="commit" about={{ repository, commit: commit.id }} />
        <Copy text={`srv://${repository}/${commit.id}`} what="URI" />
      </div>
    </div>
  );
}
