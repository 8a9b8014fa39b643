/** What two refs differ in. */
import { Empty, call, counted, usePlace } from '@srv/lib-page/page';
import { ChangeTree } from '../changes/change-tree.js';

interface DifferencesProps {
  readonly repository: string;
  readonly base: string;
  /** What the left of a file's differences is read from. */
  readonly left: string;
  readonly compared: string;
  /** All that is not the same, uncommitted on the compared side or not; otherwise what that side has changed since both were the same. */
  readonly withUncommitted: boolean;
  /** Another number: look again. */
  readonly turn: number;
}

export function Differences({ repository, base, left, compared, withUncommitted, turn }: DifferencesProps) {
  const place = usePlace();
  const sides = { leftRef: base, ...(withUncommitted ? { rightRef: `${compared}$`, type: 'two_dot' as const } : { rightRef: compared }) };
  return (
    <ChangeTree
      repository={repository}
      left={left}
      right={compared}
      prefix={place.query['prefix'] ?? ''}
      name={[repository, base, compared, turn, withUncommitted]}
      load={(prefix, after, signal, delimiter) =>
        call('diffRefs', { repository, ...sides, prefix, delimiter, after, amount: 1000 }, { signal })
      }
      onPrefix={prefix => place.vary({ prefix })}
      title={count => (withUncommitted ? `${counted(count, 'difference')}, uncommitted ones included` : counted(count, 'change'))}
      empty={
        withUncommitted ? (
          <Empty icon="check" title="No differences">
            <p>Both sides have the same objects, and nothing else is uncommitted.</p>
          </Empty>
        ) : (
          <Empty icon="check" title="No changes">
            <p>The compared side has nothing that the base lacks.</p>
          </Empty>
        )
      }
    />
  );
}
