/** What can be done with a branch. */
import { Menu, actionItems, branchResource, copyText, objectsOf, shownName, to, useDenial } from '@srv/lib-page/page';
import type { RepositoryPlace } from '@srv/lib-page/page';

/** Why something cannot be done with branches, whichever it is. */
export interface BranchRefusals {
  readonly create: string | undefined;
  readonly merge: string | undefined;
  readonly delete: string | undefined;
}

/** Asked once for all branches of a view. */
export function useBranchRefusals({ repository, readOnly }: RepositoryPlace, main: string): BranchRefusals {
  const fixed = readOnly ? 'this repository is read-only' : undefined;
  const creates = useDenial('fs:CreateBranch');
  const deletes = useDenial('fs:DeleteBranch');
  const merges = useDenial('fs:CreateCommit', branchResource(repository, main));
  return { create: fixed ?? creates, merge: fixed ?? merges, delete: fixed ?? deletes };
}

interface BranchMenuProps {
  readonly repository: string;
  readonly branch: string;
  /** The default branch. */
  readonly main: string;
  readonly off: BranchRefusals;
  readonly onMerge: () => void;
  readonly onCreate: () => void;
  readonly onDelete: () => void;
}

export function BranchMenu({ repository, branch, main, off, onMerge, onCreate, onDelete }: BranchMenuProps) {
  return (
    <Menu
      kind="plain"
      icon="more"
      label={`Actions for ${shownName(branch)}`}
      items={() => [
        { text: 'Browse', icon: 'folder', href: objectsOf(repository, branch) },
        { text: 'Commits', icon: 'commit', href: to('repositories', repository, 'commits', { ref: branch }) },
        ...(branch === main
          ? []
          : [
              {
                text: `Compare with ${main}`,
                icon: 'compare' as const,
                href: to('repositories', repository, 'compare', { ref: main, compare: branch }),
              },
              { text: `Merge into ${main}`, icon: 'merge' as const, off: off.merge, act: onMerge },
            ]),
        ...actionItems('branch', { repository, branch }),
        { text: 'Create branch from it', icon: 'branch', off: off.create, act: onCreate },
        'line',
        { text: 'Copy name', icon: 'copy', act: () => copyText(branch, 'name') },
        { text: 'Copy URI', icon: 'copy', act: () => copyText(`srv://${repository}/${branch}`, 'URI') },
        { text: 'Copy S3 URI', icon: 'copy', act: () => copyText(`s3://${repository}/${branch}`, 'S3 URI') },
        'line',
        {
          text: 'Delete',
          icon: 'trash',
          danger: true,
          off: off.delete ?? (branch === main && 'the default branch stays'),
          act: onDelete,
        },
      ]}
    />
  );
}
