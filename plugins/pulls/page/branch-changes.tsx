/** What a merge of one ref into another would change. */
import { ChangeTree, Empty, call, usePlace } from '@srv/lib-page/page';
// Completes the types of operations.
import type {} from '@srv/engine/operations';
import type { Remarks } from '@srv/lib-page/page';

interface BranchChangesProps {
  readonly repository: string;
  readonly base: string;
  readonly source: string;
  /** What the changes are of: another name loads again. */
  readonly name: readonly unknown[];
  readonly title: (count: number) => string;
  /** What the left of a file's differences is read from; absent or empty: the base. */
  readonly left?: string;
  readonly remarks?: Remarks;
}

export function BranchChanges({ repository, base, source, name, title, left, remarks }: BranchChangesProps) {
  const place = usePlace();
  return (
    <ChangeTree
      repository={repository}
      left={left || base}
      right={source}
      prefix={place.query['prefix'] ?? ''}
      name={name}
      load={(prefix, after, signal, delimiter) =>
        call('diffRefs', { repository, leftRef: base, rightRef: source, prefix, delimiter, after, amount: 1000 }, { signal })
      }
      onPrefix={prefix => place.vary({ prefix })}
      title={title}
      empty={<Empty icon="check" title="No changes" />}
      remarks={remarks}
    />
  );
}
