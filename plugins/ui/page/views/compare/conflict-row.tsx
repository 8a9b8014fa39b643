/** A conflict: its path, the choice, and on demand what each side changed, or how both differ. */
import { Button, shownName } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { ContentDiff } from '../changes/content-diff.js';
import type { Heads, Merge, Side } from '../../../src/model/settlement.js';

interface ConflictRowProps extends Merge, Heads {
  readonly path: string;
  /** The commit that both sides come from; `undefined` where it is not known. */
  readonly base: string | undefined;
  readonly choice: Side | undefined;
  readonly isOpen: boolean;
  readonly onOpen: (open: boolean) => void;
  readonly onChoose: (choice: Side) => void;
}

export function ConflictRow({ path, choice, isOpen, onOpen, onChoose, ...sides }: ConflictRowProps) {
  const { source, destination } = sides;
  return (
    <li>
      <div class="row conflict-row">
        <Button
          kind="plain"
          icon={isOpen ? 'down' : 'right'}
          label={`Compare ${shownName(path)}`}
          aria-expanded={isOpen}
          onClick={() => onOpen(!isOpen)}
        />
        <bdi class="one-line">{shownName(path)}</bdi>
        <div class="group" role="group" aria-label={`Which ${shownName(path)}`}>
          {(['source', 'destination'] as const).map(side => (
            <Button key={side} pressed={choice === side} onClick={() => onChoose(side)}>
              {shownName(side === 'source' ? source : destination)}
            </Button>
          ))}
        </div>
      </div>
      {isOpen && <Sides path={path} {...sides} />}
    </li>
  );
}

/** What is compared: both sides, or one of them with the base. */
function Sides({ repository, path, base, ...merge }: Omit<ConflictRowProps, 'choice' | 'isOpen' | 'onOpen' | 'onChoose'>) {
  const [shown, setShown] = useState(0);
  const source = { name: shownName(merge.source), head: merge.sourceHead };
  const destination = { name: shownName(merge.destination), head: merge.destinationHead };
  const pairs = [
    { left: destination.head, right: source.head, title: `${destination.name} and ${source.name}` },
    ...(base ? [source, destination].map(({ name, head }) => ({ left: base, right: head, title: `What ${name} changed` })) : []),
  ];
  const pair = pairs[shown] ?? pairs[0];
  return (
    <>
      <div class="group diff-choice" role="group" aria-label={`What to compare of ${shownName(path)}`}>
        {pairs.map(({ title }, i) => (
          <Button key={title} kind="plain" pressed={i === shown} onClick={() => setShown(i)}>
            {title}
          </Button>
        ))}
      </div>
      {pair && (
        <ContentDiff
          key={shown}
          repository={repository}
          left={pair.left}
          right={pair.right}
          change={{ type: 'conflict', path, path_type: 'object' }}
        />
      )}
    </>
  );
}
