/** A repository in the list. */
import { Icon, Time, objectsOf } from '@srv/lib-page/page';
import { About } from './about.js';

interface RepositoryRowProps {
  readonly id: string;
  readonly creation_date: number;
  readonly default_branch: string;
  readonly storage_namespace: string;
  readonly read_only?: boolean | undefined;
}

export function RepositoryRow({ id, creation_date, default_branch, storage_namespace, read_only }: RepositoryRowProps) {
  return (
    <div class="row repository-row" role="row">
      <div role="cell">
        <div class="cell-name">
          <Icon name="database" />
          <a href={objectsOf(id)}>{id}</a>
          {read_only && (
            <span class="badge">
              <Icon name="lock" /> Read-only
            </span>
          )}
        </div>
        <About repository={id} otherwise={storage_namespace} />
      </div>
      <div role="cell" class="wide-only">
        <span class="badge">
          <Icon name="branch" /> {default_branch}
        </span>
      </div>
      <div role="cell" class="muted end">
        <Time seconds={creation_date} />
      </div>
    </div>
  );
}
