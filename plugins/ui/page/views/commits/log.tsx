/** The log: commits from a ref backwards, with their graph. */
import { useMemo, useState } from 'preact/hooks';
import {
  Button,
  Empty,
  Icon,
  PagedRows,
  RefPicker,
  Time,
  call,
  commitOf,
  later,
  objectOf,
  objectsOf,
  shortRef,
  shownName,
  to,
  useAsync,
  usePages,
  usePlace,
} from '@srv/lib-page/page';
import { resolveRef } from '../../core/refs.js';
import { layOut } from '../../../src/model/graph.js';
import { CommitMenu, useCommitRefusals } from './commit-menu.js';
import type { GraphRow } from '../../../src/model/graph.js';
import type { RepositoryPlace } from '@srv/lib-page/page';

const RevertDialog = later(() => import('./revert-dialog.js').then(module => module.RevertDialog));

const rowHeight = 56;
const laneWidth = 14;
const mostLanes = 10;

export function Log(at: RepositoryPlace) {
  const { repository, ref } = at;
  const place = usePlace();
  const { object, prefix } = place.query;
  const filtered = object !== undefined || prefix !== undefined;
  const [reverting, setReverting] = useState(false);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState(false);
  const resolved = useAsync(signal => resolveRef(repository, ref, signal), [repository, ref]);
  const branch = resolved.state === 'ready' && resolved.value.kind === 'branch' ? ref : undefined;
  const pages = usePages(
    (after, signal) =>
      call(
        'logCommits',
        {
          repository,
          ref,
          after,
          amount: filtered ? 100 : 200,
          ...(object === undefined ? {} : { objects: [object] }),
          ...(prefix === undefined ? {} : { prefixes: [prefix] }),
        },
        { signal },
      ),
    [repository, ref, object, prefix],
  );
  const tagged = useAsync(
    async signal => groupTags((await call('listTags', { repository, amount: 1000 }, { signal })).results),
    [repository],
  );
  const graph = useMemo(() => (filtered ? undefined : layOut(pages.items)), [pages.items, filtered]);
  const lanes = Math.min(mostLanes, graph?.width ?? 0);
  const refusals = useCommitRefusals(at, branch);
  const off = refusals.revert ?? (branch === undefined ? 'choose a branch to revert commits of' : undefined);
  return (
    <>
      <div class="toolbar">
        <RefPicker
          repository={repository}
          value={ref}
          label={resolved.state === 'ready' ? `${resolved.value.kind}: ` : 'ref: '}
          onPick={picked => place.vary({ ref: picked })}
        />
        {filtered && (
          <span class="badge accent">
            {object === undefined ? 'below' : 'of'} {shownName(object ?? prefix ?? '')}
            <Button kind="plain" icon="close" label="All commits" onClick={() => place.vary({ object: undefined, prefix: undefined })} />
          </span>
        )}
        <span class="spread group">
          {reverting && (
            <Button kind="primary" off={ticked.size === 0 && 'tick the commits to revert'} onClick={() => setDialog(true)}>
              Continue ({ticked.size})
            </Button>
          )}
          <Button
            icon="undo"
            pressed={reverting}
            off={off}
            onClick={() => {
              setReverting(!reverting);
              setTicked(new Set());
            }}
          >
            Revert
          </Button>
          <Button kind="plain" icon="refresh" label="Refresh" onClick={pages.reload} />
        </span>
      </div>
      <div class="card">
        <PagedRows
          label="Commits"
          class="tall"
          pages={pages}
          items={pages.items}
          height={rowHeight}
          empty={
            <Empty icon="commit" title={filtered ? 'No commit has changed it' : 'No commits'}>
              {filtered && <p>What is uncommitted is not in the log.</p>}
            </Empty>
          }
          row={(commit, i) => {
            const { id, message, committer, creation_date: date } = commit;
            const tags = tagged.state === 'ready' ? (tagged.value.get(id) ?? []) : [];
            const row = graph?.rows[i];
            return (
              <div
                class="row commit-row"
                role="row"
                key={id}
                style={{
                  gridTemplateColumns: `${reverting ? '22px ' : ''}${lanes > 0 ? `${lanes * laneWidth + 4}px ` : ''}minmax(0, 1fr) auto 36px`,
                }}
              >
                {reverting && (
                  <span role="cell">
                    <input
                      type="checkbox"
                      aria-label={`Revert ${message || shortRef(id)}`}
                      checked={ticked.has(id)}
                      onChange={event =>
                        setTicked(new Set(event.currentTarget.checked ? [...ticked, id] : [...ticked].filter(other => other !== id)))
                      }
                    />
                  </span>
                )}
                {lanes > 0 && (
                  <span role="cell" class="graph" aria-hidden="true">
                    {row && <Lanes row={row} />}
                  </span>
                )}
                <div role="cell">
                  <div class="cell-name">
                    <a class="commit-title" href={commitOf(repository, id)} title={message}>
                      {message.split('\n', 1)[0] || '(no message)'}
                    </a>
                    {tags.map(tag => (
                      <a key={tag} class="badge accent" href={objectsOf(repository, tag)}>
                        <Icon name="tag" /> {shownName(tag)}
                      </a>
                    ))}
                    {commit.parents.length > 1 && <span class="badge wide-only">merge</span>}
                  </div>
                  <div class="small muted one-line">
                    {committer !== '' && `${shownName(committer)} · `}
                    <Time seconds={date} />
                  </div>
                </div>
                <span role="cell" class="group wide-only">
                  <a class="mono" href={commitOf(repository, id)}>
                    {shortRef(id)}
                  </a>
                  {object === undefined ? (
                    <a
                      class="button plain icon-only"
                      href={objectsOf(repository, id)}
                      aria-label={`Browse at ${shortRef(id)}`}
                      title="Browse the objects of this commit"
                    >
                      <Icon name="folder" />
                    </a>
                  ) : (
                    <a
                      class="button plain icon-only"
                      href={objectOf(repository, id, object)}
                      aria-label={`Open as it was at ${shortRef(id)}`}
                      title="Open the object as it was at this commit"
                    >
                      <Icon name="file" />
                    </a>
                  )}
                </span>
                <span role="cell">
                  <CommitMenu repository={repository} off={refusals} commit={commit} branch={branch} onDone={pages.reload} />
                </span>
              </div>
            );
          }}
        />
      </div>
      {dialog && branch !== undefined && (
        <RevertDialog
          repository={repository}
          branch={branch}
          commits={pages.items.filter(({ id }) => ticked.has(id))}
          onClose={() => setDialog(false)}
          onDone={() => {
            setDialog(false);
            setReverting(false);
            setTicked(new Set());
            place.go(to('repositories', repository, 'commits', { ref: branch }));
            pages.reload();
          }}
        />
      )}
    </>
  );
}

function groupTags(tags: readonly { readonly id: string; readonly commit_id: string }[]): ReadonlyMap<string, readonly string[]> {
  const byCommit = new Map<string, string[]>();
  for (const { id, commit_id: commit } of tags) byCommit.set(commit, [...(byCommit.get(commit) ?? []), id]);
  return byCommit;
}

function Lanes({ row: { lane, lines, into, out } }: { readonly row: GraphRow }) {
  const x = (at: number): number => Math.min(at, mostLanes - 1) * laneWidth + 8;
  const middle = rowHeight / 2;
  return (
    <svg class="lanes" aria-hidden="true" width={mostLanes * laneWidth} height={rowHeight} focusable="false">
      {lines.map(([from, to_]) => (
        <path key={`${from}`} d={`M${x(from)} 0L${x(to_)} ${rowHeight}`} />
      ))}
      {into.map(from => (
        <path key={`i${from}`} d={`M${x(from)} 0C${x(from)} ${middle / 2} ${x(lane)} ${middle / 2} ${x(lane)} ${middle}`} />
      ))}
      {out.map(to_ => (
        <path key={`o${to_}`} d={`M${x(lane)} ${middle}C${x(lane)} ${middle * 1.5} ${x(to_)} ${middle * 1.5} ${x(to_)} ${rowHeight}`} />
      ))}
      <circle cx={x(lane)} cy={middle} r="4.500" />
    </svg>
  );
}
