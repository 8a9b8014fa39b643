/** A commit of the log. */
import { Icon, Time, commitOf, objectOf, objectsOf, shortRef, shownName } from '@srv/lib-page/page';
import { GraphLanes } from './graph-lanes.js';
import type { ComponentChildren } from 'preact';
import type { GraphRow } from '../../../src/model/graph.js';
import type { Selection } from '../../core/selection.js';
import type { ShownCommit } from './commit-card.js';

interface CommitRowProps {
  readonly repository: string;
  readonly commit: ShownCommit;
  readonly tags: readonly string[];
  /** Pixels of the column of the graph; 0: the log has no graph. */
  readonly graphWidth: number;
  readonly graph: GraphRow | undefined;
  /** The commits to revert, while they are being chosen. */
  readonly selection: Selection<ShownCommit> | undefined;
  /** The object whose log this is. */
  readonly object: string | undefined;
  /** The menu. */
  readonly children: ComponentChildren;
}

export function CommitRow({ repository, commit, tags, graphWidth, graph, selection, object, children }: CommitRowProps) {
  const { id, message } = commit;
  const columns = `${selection ? '22px ' : ''}${graphWidth > 0 ? `${graphWidth}px ` : ''}minmax(0, 1fr) auto 36px`;
  return (
    <div class="row commit-row" role="row" style={{ gridTemplateColumns: columns }}>
      {selection && (
        <span role="cell">
          <input
            type="checkbox"
            aria-label={`Revert ${message || shortRef(id)}`}
            checked={selection.has(commit)}
            onChange={event => selection.toggle(commit, event.currentTarget.checked)}
          />
        </span>
      )}
      {graphWidth > 0 && (
        <span role="cell" class="graph" aria-hidden="true">
          {graph && <GraphLanes row={graph} />}
        </span>
      )}
      <CommitSummary repository={repository} commit={commit} tags={tags} />
      <CommitLinks repository={repository} id={id} object={object} />
      <span role="cell">{children}</span>
    </div>
  );
}

function CommitSummary({ repository, commit, tags }: Pick<CommitRowProps, 'repository' | 'commit' | 'tags'>) {
  const { id, message, committer, creation_date: date } = commit;
  return (
    <div role="cell">
      <div class="cell-name">
        <a class="commit-title" href={commitOf(repository, id)} title={message}>
          {message.split('\n', 1)[0] || '(no message)'}
        </a>
        {tags.map(tag => (
          <a key={tag} class="badge accent" href={objectsOf(repository, tag)}>
            <Icon name="tag" /> {shownName(tag)}
          </a>
        ))}
        {commit.parents.length > 1 && <span class="badge wide-only">merge</span>}
      </div>
      <div class="small muted one-line">
        {committer !== '' && `${shownName(committer)} · `}
        <Time seconds={date} />
      </div>
    </div>
  );
}

function CommitLinks({ repository, id, object }: Pick<CommitRowProps, 'repository' | 'object'> & { readonly id: string }) {
  return (
    <span role="cell" class="group wide-only">
      <a class="mono" href={commitOf(repository, id)}>
        {shortRef(id)}
      </a>
      {object === undefined ? (
        <a
          class="button plain icon-only"
          href={objectsOf(repository, id)}
          aria-label={`Browse at ${shortRef(id)}`}
          title="Browse the objects of this commit"
        >
          <Icon name="folder" />
        </a>
      ) : (
        <a
          class="button plain icon-only"
          href={objectOf(repository, id, object)}
          aria-label={`Open as it was at ${shortRef(id)}`}
          title="Open the object as it was at this commit"
        >
          <Icon name="file" />
        </a>
      )}
    </span>
  );
}
