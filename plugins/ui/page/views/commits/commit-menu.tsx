/** What can be done with a commit. */

import { Menu, branchResource, commitOf, copyText, later, objectsOf, shortRef, to, useDenial } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import type { RepositoryPlace } from '@srv/lib-page/page';
import type { ShownCommit } from './commit-card.js';

const RevertDialog = later(() => import('./revert-dialog.js').then(module => module.RevertDialog));
const CreateRef = later(() => import('../refs/create-ref.js').then(module => module.CreateRef));
const CherryPick = later(() => import('./cherry-pick.js').then(module => module.CherryPick));
const HardReset = later(() => import('./hard-reset.js').then(module => module.HardReset));

interface CommitMenuProps extends Pick<RepositoryPlace, 'repository'> {
  readonly off: CommitRefusals;
  readonly commit: ShownCommit;
  /** Whose log this is; `undefined` where the commit is shown alone. */
  readonly branch: string | undefined;
  readonly onDone?: () => void;
}

type Action = 'branch' | 'tag' | 'revert' | 'pick' | 'reset';

/** Why actions cannot be done, whichever commit they begin at. */
type CommitRefusals = Readonly<Record<Action, string | undefined>>;

/** Asked once for all commits of a view. */
export function useCommitRefusals({ repository, readOnly }: RepositoryPlace, branch: string | undefined): CommitRefusals {
  const fixed = readOnly ? 'this repository is read-only' : undefined;
  const branches = useDenial('fs:CreateBranch');
  const tags = useDenial('fs:CreateTag');
  const picks = useDenial('fs:CreateCommit');
  const moves = useDenial('fs:RevertBranch', branch === undefined ? undefined : branchResource(repository, branch));
  return { branch: fixed ?? branches, tag: fixed ?? tags, pick: fixed ?? picks, revert: fixed ?? moves, reset: fixed ?? moves };
}

export function CommitMenu({ repository, off, commit, branch, onDone }: CommitMenuProps) {
  const [action, setAction] = useState<Action>();
  const close = (): void => setAction(undefined);
  const done = (): void => {
    close();
    onDone?.();
  };
  const { id } = commit;
  return (
    <>
      <Menu
        kind="plain"
        icon="more"
        label={`Actions for commit ${shortRef(id)}`}
        items={() => [
          { text: 'Browse', icon: 'folder', href: objectsOf(repository, id) },
          { text: 'Open commit', icon: 'commit', href: commitOf(repository, id) },
          { text: 'Compare with…', icon: 'compare', href: to('repositories', repository, 'compare', { compare: id }) },
          'line',
          { text: 'Create branch here', icon: 'branch', off: off.branch, act: () => setAction('branch') },
          { text: 'Create tag here', icon: 'tag', off: off.tag, act: () => setAction('tag') },
          { text: 'Cherry-pick to a branch', icon: 'merge', off: off.pick, act: () => setAction('pick') },
          ...(branch === undefined
            ? []
            : [
                { text: `Revert on ${branch}`, icon: 'undo' as const, off: off.revert, act: () => setAction('revert') },
                { text: `Reset ${branch} to here`, icon: 'history' as const, danger: true, off: off.reset, act: () => setAction('reset') },
              ]),
          'line',
          { text: 'Copy commit id', icon: 'copy', act: () => copyText(id, 'commit id') },
          { text: 'Copy URI', icon: 'copy', act: () => copyText(`srv://${repository}/${id}`, 'URI') },
          { text: 'Copy S3 URI', icon: 'copy', act: () => copyText(`s3://${repository}/${id}`, 'S3 URI') },
        ]}
      />
      {(action === 'branch' || action === 'tag') && (
        <CreateRef repository={repository} kind={action} source={id} onClose={close} onDone={done} />
      )}
      {action === 'revert' && branch !== undefined && (
        <RevertDialog repository={repository} branch={branch} commits={[commit]} onClose={close} onDone={done} />
      )}
      {action === 'pick' && <CherryPick repository={repository} commit={commit} onClose={close} onDone={done} />}
      {action === 'reset' && branch !== undefined && (
        <HardReset repository={repository} branch={branch} commit={id} onClose={close} onDone={done} />
      )}
    </>
  );
}
