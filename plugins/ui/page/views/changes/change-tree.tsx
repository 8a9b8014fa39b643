/** Differences as a tree of folders: uncommitted ones, those of a commit, those between two refs. */

import { Button, Failed, Icon, Loading, counted, later, remarksOf, shownName, usePages } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { nameBelow } from '../../../src/model/name-below.js';
import { rowKey } from '../../../src/model/overlay.js';
import { ChangeTotals, useTotals } from './change-totals.js';
import type { IconName, Pages, Remarks } from '@srv/lib-page/page';
import type { ComponentChildren, VNode } from 'preact';
import type { Change } from './change.js';

const ContentDiff = later(() => import('./content-diff.js').then(module => module.ContentDiff));

export interface ChangePage {
  readonly results: readonly Change[];
  readonly pagination: { readonly has_more: boolean; readonly next_offset: string };
}

interface ChangeTreeProps {
  readonly repository: string;
  /** Refs whose contents are compared. */
  readonly left: string;
  readonly right: string;
  readonly prefix: string;
  /** What the differences are of: another name loads again. */
  readonly name: readonly unknown[];
  /** @param delimiter `/` for the changes of one folder, empty for all below it. */
  readonly load: (prefix: string, after: string, signal: AbortSignal, delimiter: '/' | '') => Promise<ChangePage>;
  readonly onPrefix: (prefix: string) => void;
  readonly title: (count: number) => string;
  readonly empty: VNode;
  readonly action?: (change: Change) => ComponentChildren;
  readonly remarks?: Remarks | undefined;
}

const drawings: Readonly<Record<Change['type'], IconName>> = {
  added: 'plus',
  removed: 'trash',
  changed: 'swap',
  conflict: 'alert',
  prefix_changed: 'folder',
};
const words: Readonly<Record<Change['type'], string>> = {
  added: 'added',
  removed: 'removed',
  changed: 'changed',
  conflict: 'conflict',
  prefix_changed: 'changes below',
};

export function ChangeTree(props: ChangeTreeProps) {
  const { prefix, name, load, onPrefix, title, empty } = props;
  const [expanded, setExpanded] = useState({ all: false, turn: 0 });
  const pages = usePages((after, signal) => load(prefix, after, signal, '/'), [...name, prefix]);
  const totals = useTotals(props, pages);
  if (pages.state === 'loading') return <Loading />;
  if (pages.state === 'failed' && pages.items.length === 0) return <Failed error={pages.error} retry={pages.reload} />;
  if (pages.items.length === 0 && prefix === '') return <div class="card">{empty}</div>;
  const up = prefix.slice(0, prefix.replace(/\/$/, '').lastIndexOf('/') + 1);
  return (
    <div class="card">
      <div class="card-head">
        <strong class="grow">
          {title(totals?.objects ?? pages.items.length)}
          {totals?.isCut === true || (!totals && pages.state === 'more') ? ' and more' : ''}
        </strong>
        {totals && <ChangeTotals totals={totals} />}
        {prefix !== '' && (
          <Button kind="plain" icon="folder" onClick={() => onPrefix(up)}>
            Up from {shownName(prefix)}
          </Button>
        )}
        <span class="group">
          <Button kind="plain" onClick={() => setExpanded({ all: true, turn: expanded.turn + 1 })}>
            Expand All
          </Button>
          <Button kind="plain" onClick={() => setExpanded({ all: false, turn: expanded.turn + 1 })}>
            Collapse All
          </Button>
        </span>
      </div>
      <div role="group" aria-label="Changes">
        <Level {...props} pages={pages} depth={0} open={expanded.all} key={expanded.turn} />
      </div>
    </div>
  );
}

interface LevelProps extends ChangeTreeProps {
  readonly pages: Pages<Change>;
  readonly depth: number;
  readonly open: boolean;
}

function Level(props: LevelProps) {
  const { pages } = props;
  return (
    <ul class="bare-list">
      {pages.items.map(change => (
        <Item {...props} key={rowKey(change)} change={change} />
      ))}
      {pages.state === 'failed' && (
        <li>
          <Failed error={pages.error} retry={pages.more} />
        </li>
      )}
      {pages.state === 'more' && (
        <li class="row">
          <Button kind="plain" onClick={pages.more}>
            Load more changes
          </Button>
        </li>
      )}
    </ul>
  );
}

function Item(props: LevelProps & { readonly change: Change }) {
  const { change, prefix, depth, onPrefix, action, remarks, repository, left, right, open: initially } = props;
  const { path, path_type: kind, type } = change;
  const isFolder = kind === 'common_prefix';
  const [open, setOpen] = useState(initially && isFolder);
  const shown = shownName(nameBelow(prefix, path));
  return (
    <li>
      <div class={`row change ${type}`} style={{ paddingLeft: `${14 + depth * 22}px` }}>
        <span class="mark">
          <Icon name={drawings[type]} />
        </span>
        <span class="cell-name">
          <Button
            kind="plain"
            icon={open ? 'down' : 'right'}
            label={`${open ? 'Hide' : 'Show'} ${isFolder ? 'changes below' : 'object changes of'} ${shown}`}
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          />
          {isFolder ? (
            <a
              href={`${location.pathname}${location.search}`}
              onClick={event => {
                event.preventDefault();
                event.stopPropagation();
                onPrefix(path);
              }}
            >
              <bdi>{shown}</bdi>
            </a>
          ) : (
            <bdi class="name">{shown}</bdi>
          )}
        </span>
        <span>
          <span class={`badge ${type === 'prefix_changed' ? 'changed' : type}`}>{words[type]}</span>
        </span>
        <span>
          {!isFolder && remarks && remarks.count(path) > 0 && <span class="badge">{counted(remarks.count(path), 'comment')}</span>}
          {action?.(change)}
        </span>
      </div>
      {open &&
        (isFolder ? (
          <Below {...props} prefix={path} depth={depth + 1} />
        ) : (
          <div class="detail">
            <ContentDiff repository={repository} left={left} right={right} change={change} remarks={remarks && remarksOf(remarks, path)} />
            {remarks && <div class="remarks">{remarks.draw(path, undefined)}</div>}
          </div>
        ))}
    </li>
  );
}

function Below(props: LevelProps) {
  const pages = usePages((after, signal) => props.load(props.prefix, after, signal, '/'), [...props.name, props.prefix]);
  if (pages.state === 'loading') return <Loading rows={2} />;
  return <Level {...props} pages={pages} />;
}
