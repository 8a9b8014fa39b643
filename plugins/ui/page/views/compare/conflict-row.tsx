/** A conflict: its path, the choice, and on demand what differs. */
import { Button, shownName } from '@srv/lib-page/page';
import { ContentDiff } from '../changes/content-diff.js';
import type { Choice, Merge } from './resolve.js';

interface ConflictRowProps extends Merge {
  readonly path: string;
  readonly choice: Choice | undefined;
  readonly isOpen: boolean;
  readonly onOpen: (open: boolean) => void;
  readonly onChoose: (choice: Choice) => void;
}

export function ConflictRow({ repository, source, destination, path, choice, isOpen, onOpen, onChoose }: ConflictRowProps) {
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
      {isOpen && (
        <ContentDiff repository={repository} left={destination} right={source} change={{ type: 'conflict', path, path_type: 'object' }} />
      )}
    </li>
  );
}
