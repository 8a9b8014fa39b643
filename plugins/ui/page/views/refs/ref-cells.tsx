/** What the rows of branches and tags share: the name, the last commit, and its id. */
import { Icon, commitOf, objectsOf, shortRef, shownName } from '@srv/lib-page/page';
import { LastCommit } from './last-commit.js';
import type { ComponentChildren } from 'preact';

interface RefCellsProps {
  readonly repository: string;
  readonly id: string;
  readonly commit: string;
  readonly icon: 'branch' | 'tag';
  /** After the name. */
  readonly children?: ComponentChildren;
}

export function RefCells({ repository, id, commit, icon, children }: RefCellsProps) {
  return (
    <>
      <span role="cell" class="cell-name">
        <Icon name={icon} />
        <a href={objectsOf(repository, id)}>
          <bdi>{shownName(id)}</bdi>
        </a>
        {children}
      </span>
      <span role="cell" class="muted small one-line wide-only">
        <LastCommit repository={repository} commit={commit} />
      </span>
      <span role="cell" class="wide-only">
        <a class="mono" href={commitOf(repository, commit)}>
          {shortRef(commit)}
        </a>
      </span>
    </>
  );
}
