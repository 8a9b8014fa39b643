/** Choosing commits of the log to revert together. */

import { Button, later } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { useSelection } from '../../core/selection.js';
import type { Selection } from '../../core/selection.js';
import type { ShownCommit } from './commit-card.js';

const RevertDialog = later(() => import('./revert-dialog.js').then(module => module.RevertDialog));

interface Reverting {
  /** Why commits cannot be reverted. */
  readonly off: string | undefined;
  readonly isOn: boolean;
  readonly selection: Selection<ShownCommit>;
  /** Those that are ticked, in the order of the log. */
  readonly chosen: readonly ShownCommit[];
  readonly isAsking: boolean;
  /** Starts choosing, or stops it. */
  toggle(): void;
  /** Shows what is going to be reverted, or hides it. */
  ask(on: boolean): void;
}

interface ReversibleLog {
  /** Names the list of commits: what is ticked in another one is not reverted. */
  readonly list: readonly unknown[];
  /** Those that are listed so far. */
  readonly commits: readonly ShownCommit[];
  /** Why its commits cannot be reverted. */
  readonly off: string | undefined;
}

export function useReverting({ list, commits, off }: ReversibleLog): Reverting {
  const name = JSON.stringify(list);
  const [isWanted, setWanted] = useState(false);
  const [asked, setAsked] = useState<string>();
  const selection = useSelection<ShownCommit>(list, ({ id }) => id);
  return {
    off,
    isOn: isWanted && off === undefined,
    selection,
    chosen: commits.filter(commit => selection.has(commit)),
    isAsking: asked === name,
    toggle: () => {
      setWanted(!isWanted);
      selection.clear();
    },
    ask: on => setAsked(on ? name : undefined),
  };
}

export function RevertButtons({ reverting }: { readonly reverting: Reverting }) {
  const { off, isOn, chosen, toggle, ask } = reverting;
  return (
    <>
      {isOn && (
        <Button kind="primary" off={chosen.length === 0 && 'tick the commits to revert'} onClick={() => ask(true)}>
          Continue ({chosen.length})
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
  readonly onDone: () => void;
}

/** The dialog for the commits that are ticked. */
export function RevertChosen({ repository, branch, reverting, onDone }: RevertChosenProps) {
  const { isAsking, chosen, toggle, ask } = reverting;
  if (!isAsking || branch === undefined) return null;
  return (
    <RevertDialog
      repository={repository}
      branch={branch}
      commits={chosen}
      onClose={() => ask(false)}
      onDone={() => {
        ask(false);
        toggle();
        onDone();
      }}
    />
  );
}
