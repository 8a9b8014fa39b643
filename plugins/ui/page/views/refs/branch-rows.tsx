/** The heads of the columns of branches, and a row. */
import { shownName, usePlace } from '@srv/lib-page/page';
import { BranchStanding } from './branch-standing.js';
import { RefCells } from './ref-cells.js';
import type { ComponentChildren } from 'preact';
import type { Selection } from '../../core/selection.js';

interface BranchHeadProps {
  /** Branches that can be ticked. */
  readonly removable: readonly string[];
  readonly selection: Selection<string>;
  /** Sorted by time. */
  readonly newest: boolean;
}

export function BranchHead({ removable, selection, newest }: BranchHeadProps) {
  const place = usePlace();
  return (
    <div class="row head-row branch-row" role="row">
      <span role="columnheader">
        <input
          type="checkbox"
          aria-label="Select all shown"
          checked={removable.length > 0 && selection.count >= removable.length}
          onChange={event => selection.set(event.currentTarget.checked ? removable : [])}
        />
      </span>
      <span role="columnheader">Branch</span>
      <span role="columnheader" class="wide-only" aria-sort={newest ? 'descending' : 'none'}>
        <button type="button" class="sort" onClick={() => place.vary({ sort: newest ? undefined : 'newest' })}>
          Last commit {newest ? '↓' : ''}
        </button>
      </span>
      <span role="columnheader" class="wide-only">
        Commit
      </span>
      <span role="columnheader">
        <span class="unseen">Actions</span>
      </span>
    </div>
  );
}

export interface BranchRowProps {
  readonly repository: string;
  readonly id: string;
  readonly commit: string;
  /** It is the default branch. */
  readonly isMain: boolean;
  /** The default branch, and its commit once it is known. */
  readonly main: string;
  readonly mainCommit: string | undefined;
  readonly selection: Selection<string>;
  /** The menu. */
  readonly children: ComponentChildren;
}

export function BranchRow({ repository, id, commit, isMain, main, mainCommit, selection, children }: BranchRowProps) {
  return (
    <div class="row branch-row" role="row">
      <span role="cell">
        {!isMain && (
          <input
            type="checkbox"
            aria-label={`Select ${shownName(id)}`}
            checked={selection.has(id)}
            onChange={event => selection.toggle(id, event.currentTarget.checked)}
          />
        )}
      </span>
      <RefCells repository={repository} id={id} commit={commit} icon="branch">
        {isMain && <span class="badge accent">Default</span>}
        <BranchStanding repository={repository} branch={id} commit={commit} main={main} mainCommit={mainCommit} />
      </RefCells>
      <span role="cell">{children}</span>
    </div>
  );
}
