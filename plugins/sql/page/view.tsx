/** The editor, and the results of the last script. */
import { Alert, Button, Content, Loading, Menu, notify, onPersonChange, serverRunsQueries, useAsync } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { Examples } from './examples.js';
import { useExecution } from './execution.js';
import { forgetQueries, pastQueries, rememberQuery } from './history.js';
import { linkTo, useQuery } from './query.js';
import { QueryField } from './query-field.js';
import { Result } from './result.js';
import { stop } from './session.js';
import type { ShownObject } from '@srv/lib-page';
import type { Place } from './execution.js';

interface ViewProps {
  /** What the view is for; absent: the page of its own. */
  readonly object?: ShownObject;
}

onPersonChange(() => {
  stop();
  forgetQueries();
});

export default function Sql({ object }: ViewProps) {
  const [isOpen, setOpen] = useState(false);
  if (object)
    return (
      <>
        <Content object={object} without="sql" />
        <details class="sql-fold" onToggle={event => setOpen(event.currentTarget.open)}>
          <summary>Query with SQL</summary>
          {isOpen && <Editor object={object} />}
        </details>
      </>
    );
  return (
    <>
      <h1 class="gap">SQL</h1>
      <section class="card" aria-label="SQL">
        <Editor object={undefined} />
      </section>
    </>
  );
}

function Editor({ object }: { readonly object: ShownObject | undefined }) {
  const [query, setQuery] = useQuery(object);
  const { state, execute } = useExecution();
  const server = useAsync(serverRunsQueries, []);
  const hasServer = server.state === 'ready' && server.value;
  const [chosen, setChosen] = useState<Place>();
  const place = hasServer ? (chosen ?? 'server') : 'browser';
  const run = (): void => {
    rememberQuery(query);
    execute(query, place);
  };
  return (
    <>
      <div class="card-body form">
        <QueryField query={query} isShort={object !== undefined} place={place} onQuery={setQuery} onExecute={run} />
        <div class="toolbar">
          <Button kind="primary" icon="play" off={state.kind === 'running' && 'a query is running'} onClick={run}>
            Execute
          </Button>
          {hasServer && <PlaceChoice place={place} onPlace={setChosen} />}
          {state.kind === 'running' && (
            <Button icon="close" onClick={state.abort}>
              Stop
            </Button>
          )}
          <CopyLink query={query} />
          <History onQuery={setQuery} />
          <span class="muted small" role="status">
            {state.kind === 'running' ? `${state.step}…` : ''}
          </span>
        </div>
      </div>
      {query.trim() === '' && object === undefined && <Examples place={place} onQuery={setQuery} />}
      {state.kind === 'running' && <Loading rows={3} />}
      {state.kind === 'failed' && (
        <div class="card-body">
          <Alert>{state.message}</Alert>
        </div>
      )}
      {state.kind === 'done' && <Result outcome={state.outcome} />}
    </>
  );
}

function PlaceChoice({ place, onPlace }: { readonly place: Place; readonly onPlace: (place: Place) => void }) {
  return (
    <select aria-label="Where it runs" class="short-input" value={place} onChange={event => onPlace(event.currentTarget.value as Place)}>
      <option value="server">on the server</option>
      <option value="browser">in this browser</option>
    </select>
  );
}

function CopyLink({ query }: { readonly query: string }) {
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(linkTo(query));
    notify('Copied the link to this query');
  };
  return (
    <Button kind="plain" icon="link" onClick={() => void copy()}>
      Copy Link
    </Button>
  );
}

/** Characters of a query in a menu. */
const mostShown = 80;

function History({ onQuery }: { readonly onQuery: (query: string) => void }) {
  if (pastQueries().length === 0) return null;
  const items = () =>
    pastQueries().map(query => ({ text: query.length > mostShown ? `${query.slice(0, mostShown)}…` : query, act: () => onQuery(query) }));
  return (
    <Menu kind="plain" icon="history" items={items}>
      History
    </Menu>
  );
}
