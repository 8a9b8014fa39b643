/** The runs of a repository's actions, or one of them. */
import { Button, Code, Empty, ListPage, PagedRows, shortRef, shownName, usePages, usePlace } from '@srv/lib-page/page';
import { RunPage } from './run.js';
import { RunHead, RunRow } from './run-row.js';
import { listRuns } from './shapes.js';
import './style.css';
import type { RepositoryPlace } from '@srv/lib-page/page';

const example = `name: check the format
on:
  pre-commit:
    branches: [main]
hooks:
  - id: format
    type: webhook
    properties:
      url: https://checks.example.com/format
`;

export default function Actions(at: RepositoryPlace) {
  const [run] = at.rest;
  return run === undefined ? <Runs {...at} /> : <RunPage {...at} run={run} />;
}

function Runs({ repository }: RepositoryPlace) {
  const place = usePlace();
  const { branch, commit } = place.query;
  const pages = usePages((after, signal) => listRuns(repository, { branch, commit }, after, signal), [repository, branch, commit]);
  const filtered = branch !== undefined || commit !== undefined;
  return (
    <ListPage>
      <div class="toolbar">
        {filtered ? (
          <span class="badge accent">
            {branch === undefined ? 'commit' : 'branch'} {shownName(branch ?? shortRef(commit ?? ''))}
            <Button kind="plain" icon="close" label="All runs" onClick={() => place.vary({ branch: undefined, commit: undefined })} />
          </span>
        ) : (
          <h2>Runs of actions</h2>
        )}
        <span class="spread">
          <Button kind="plain" icon="refresh" label="Refresh" onClick={pages.reload} />
        </span>
      </div>
      <div class="card">
        <PagedRows
          label="Runs"
          pages={pages}
          items={pages.items}
          height={38}
          empty={
            filtered ? (
              <Empty icon="play" title="No runs of it">
                <Button onClick={() => place.vary({ branch: undefined, commit: undefined })}>All runs</Button>
              </Empty>
            ) : (
              <Empty icon="play" title="No action has run yet">
                <p>
                  An action runs hooks before or after something happens, and can refuse it. It is a file of the repository, such as
                  _srv_actions/format.yaml:
                </p>
                <div class="example">
                  <Code text={example} language="yaml" label="Example of an action" />
                </div>
              </Empty>
            )
          }
          head={<RunHead />}
          row={run => <RunRow key={run.run_id} repository={repository} run={run} />}
        />
      </div>
    </ListPage>
  );
}
