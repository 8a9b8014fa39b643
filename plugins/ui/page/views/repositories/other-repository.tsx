/** Another repository to choose, where that of an address does not exist. */
import { Empty, Icon, Search, With, call, objectsOf, shownName, to, useAsync } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';

/** Repositories that are offered. */
const most = 20;

export function OtherRepository({ missing }: { readonly missing: string }) {
  const [text, setText] = useState('');
  const found = useAsync(
    async signal => (await call('listRepositories', { amount: most, ...(text === '' ? {} : { search: text }) }, { signal })).results,
    [text],
  );
  return (
    <div class="card">
      <Empty icon="search" title={`There is no repository ${shownName(missing)}`}>
        <p>It was deleted, its name is spelled otherwise, or you may not see it. Choose another one:</p>
      </Empty>
      <div class="card-head">
        <Search label="Find a repository" value={text} onInput={setText} />
        <a class="button" href={to('repositories')}>
          All repositories
        </a>
      </div>
      <With answer={found}>
        {repositories =>
          repositories.length === 0 ? (
            <Empty icon="database" title={text === '' ? 'No repositories' : 'No repository matches'} />
          ) : (
            <ul class="bare-list">
              {repositories.map(({ id }) => (
                <li key={id} class="row cell-name">
                  <Icon name="database" />
                  <a href={objectsOf(id)}>{id}</a>
                </li>
              ))}
            </ul>
          )
        }
      </With>
    </div>
  );
}
