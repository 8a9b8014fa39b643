/** Choosing commits of the log to revert together. */

import { Button, later } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { useSelection } from '../../core/selection.js';
import type { Selection } from '../../core/selection.js';
import type { ShownCommit } from './commit-card.js';

const RevertDialog = later(() => import('./revert-dialog.js').then(module => module.RevertDialog));

interface Reverting {
  readonly isOn: boolean;
  readonly selection: Selection<ShownCommit>;
  readonly isAsking: boolean;
  /** Starts choosing, or stops it. */
  toggle(): void;
  /** Shows what is going to be reverted, or hides it. */
  ask(on: boolean): void;
}

export function useReverting(): Reverting {
  const [isOn, setOn] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const selection = useSelection<ShownCommit>([], ({ id }) => id);
  const toggle = (): void => {
    setOn(!isOn);
    selection.clear();
  };
  return { isOn, selection, isAsking, toggle, ask: setAsking };
}

export function RevertButtons({ reverting, off }: { readonly reverting: Reverting; readonly off: string | undefined }) {
  const { isOn, selection, toggle, ask } = reverting;
  return (
    <>
      {isOn && (
        <Button kind="primary" off={selection.count === 0 && 'tick the commits to revert'} onClick={() => ask(true)}>
          Continue ({selection.count})
        </Button>
      )}
      <Button icon="undo" pressed={isOn} off={off} onClick={toggle}>
        Revert
      </Button>
    </>
  );
}

interface RevertChosenProps {
  readonly repository: string;
  readonly branch: string | undefined;
  readonly reverting: Reverting;
  readonly commits: readonly ShownCommit[];
  readonly onDone: () => void;
}

/** The dialog for the commits that are ticked. */
export function RevertChosen({ repository, branch, reverting, commits, onDone }: RevertChosenProps) {
  const { isAsking, selection, toggle, ask } = reverting;
  if (!isAsking || branch === undefined) return null;
  return (
    <RevertDialog
      repository={repository}
      branch={branch}
      commits={commits.filter(commit => selection.has(commit))}
      onClose={() => ask(false)}
      onDone={() => {
        ask(false);
        toggle();
        onDone();
      }}
    />
  );
}
