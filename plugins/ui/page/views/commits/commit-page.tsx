/** One commit and what it changed against its first parent, or against another one. */

import { Choice, Empty, Panels, With, call, counted, objectsOf, shortRef, useAsync, usePlace } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { ChangeTree } from '../changes/change-tree.js';
import { CommitCard } from './commit-card.js';
import { CommitMenu, useCommitRefusals } from './commit-menu.js';
import type { RepositoryPlace } from '@srv/lib-page/page';

export function CommitPage({ id, ...at }: RepositoryPlace & { readonly id: string }) {
  const { repository } = at;
  const place = usePlace();
  const commit = useAsync(signal => call('getCommit', { repository, commitId: id }, { signal }), [repository, id]);
  const [parent, setParent] = useState(0);
  const refusals = useCommitRefusals(at, undefined);
  return (
    <With answer={commit}>
      {found => {
        const left = found.parents[parent];
        return (
          <>
            <div class="card gap">
              <div class="card-body">
                <CommitCard repository={repository} commit={found}>
                  <CommitMenu repository={repository} off={refusals} commit={found} branch={undefined} />
                </CommitCard>
              </div>
            </div>
            <Panels place="commit" at={{ ...at, ref: found.id }} />
            {found.parents.length > 1 && (
              <div class="toolbar">
                <Choice
                  label="Changes against"
                  value={String(parent)}
                  onChange={value => setParent(Number(value))}
                  options={found.parents.map((other, i) => [String(i), `parent ${i + 1}: ${shortRef(other)}`] as const)}
                />
              </div>
            )}
            {left === undefined ? (
              <div class="card">
                <Empty icon="commit" title="The first commit">
                  <p>It has no parent to compare with.</p>
                  <a href={objectsOf(repository, found.id)}>See its objects</a>
                </Empty>
              </div>
            ) : (
              <ChangeTree
                repository={repository}
                left={left}
                right={found.id}
                prefix={place.query['prefix'] ?? ''}
                name={[repository, left, found.id]}
                load={(prefix, after, signal, delimiter) =>
                  call(
                    'diffRefs',
                    { repository, leftRef: left, rightRef: found.id, prefix, delimiter, after, amount: 1000, type: 'two_dot' },
                    { signal },
                  )
                }
                onPrefix={prefix => place.vary({ prefix })}
                title={count => counted(count, 'change')}
                empty={<Empty icon="check" title="No changes" />}
              />
            )}
          </>
        );
      }}
    </With>
  );
}
