/** The editor, and the results of the last script. */
import { useEffect, useId, useState } from 'preact/hooks';
import { Alert, Button, Content, DataTable, Loading, messageOf, notify, onPersonChange, sizeText } from '@srv/lib-page/page';
import { addressText } from '../src/model/address.js';
import { saveAs } from './save-as.js';
import { exported, runScript, stop } from './session.js';
import type { ShownObject } from '@srv/lib-page';
import type { Outcome } from './session.js';

interface ViewProps {
  /** What the view is for; absent: the page of its own. */
  readonly object?: ShownObject;
}

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly step: string; readonly abort: () => void }
  | { readonly kind: 'done'; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly message: string };

onPersonChange(stop);

/** A query in the address is shown, and runs only when the user executes it. */
function queryInAddress(): string {
  return new URLSearchParams(location.hash.slice(1)).get('q') ?? '';
}

function linkTo(query: string): string {
  return new URL(`sql#${new URLSearchParams({ q: query }).toString()}`, document.baseURI).href;
}

function firstQuery(object: ShownObject | undefined): string {
  if (!object) return queryInAddress();
  return `SELECT * FROM '${addressText(object).replaceAll("'", "''")}' LIMIT 20`;
}

export default function Sql({ object }: ViewProps) {
  const [query, setQuery] = useState(() => firstQuery(object));
  const [state, setState] = useState<State>({ kind: 'idle' });
  const id = useId();
  useEffect(() => {
    if (object) return undefined;
    const follow = (): void => setQuery(queryInAddress());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, [object]);
  const execute = (): void => {
    if (state.kind === 'running') return;
    const controller = new AbortController();
    const abort = (): void => {
      controller.abort();
      stop();
    };
    const show = (step: string): void => setState({ kind: 'running', step, abort });
    show('Starting');
    runScript(query, controller.signal, show).then(
      outcome => setState({ kind: 'done', outcome }),
      (error: unknown) =>
        setState({ kind: 'failed', message: controller.signal.aborted ? 'Stopped. Tables made before are gone.' : messageOf(error) }),
    );
  };
  const copyLink = async (): Promise<void> => {
    await navigator.clipboard.writeText(linkTo(query));
    notify('Copied the link to this query');
  };
  const editor = (
    <>
      <div class="card-body form">
        <div class="field">
          <label for={id}>Query</label>
          <textarea
            id={id}
            class={object ? 'code short' : 'code'}
            rows={object ? 4 : 8}
            value={query}
            spellcheck={false}
            placeholder="SELECT * FROM 'srv://repository/main/path.parquet'"
            aria-describedby={`${id}-more`}
            onInput={event => setQuery(event.currentTarget.value)}
            onKeyDown={event => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              execute();
            }}
          />
          <div id={`${id}-more`} class="hint">
            Reads CSV, TSV and Parquet at <code>srv://repository/ref/path</code>, in this browser. <code>COPY … TO 'srv://…'</code> writes
            to a branch. Ctrl+Enter runs.
          </div>
        </div>
        <div class="toolbar">
          <Button kind="primary" icon="play" off={state.kind === 'running' && 'a query is running'} onClick={execute}>
            Execute
          </Button>
          {state.kind === 'running' && (
            <Button icon="close" onClick={state.abort}>
              Stop
            </Button>
          )}
          <Button kind="plain" icon="link" onClick={() => void copyLink()}>
            Copy Link
          </Button>
          <span class="muted small" role="status">
            {state.kind === 'running' ? `${state.step}…` : ''}
          </span>
        </div>
      </div>
      {state.kind === 'running' && <Loading rows={3} />}
      {state.kind === 'failed' && (
        <div class="card-body">
          <Alert>{state.message}</Alert>
        </div>
      )}
      {state.kind === 'done' && <Shown outcome={state.outcome} />}
      {object && state.kind === 'idle' && <Content object={object} without="sql" />}
    </>
  );
  if (object) return editor;
  return (
    <>
      <h1 class="gap">SQL</h1>
      <section class="card" aria-label="SQL">
        {editor}
      </section>
    </>
  );
}

function Shown({ outcome: { result, written } }: { readonly outcome: Outcome }) {
  const download = (kind: 'csv' | 'parquet'): void => {
    exported(kind).then(
      content => saveAs(content, `result.${kind}`),
      (error: unknown) => notify(messageOf(error)),
    );
  };
  return (
    <>
      {(written.length > 0 || !result) && (
        <div class="card-body">
          <Alert kind="note">
            {written.length === 0
              ? 'Done.'
              : written.map(({ address, size }) => <p key={address}>{`Wrote ${sizeText(size)} to ${address}.`}</p>)}
          </Alert>
        </div>
      )}
      {result && <DataTable columns={result.columns} rows={result.rows} whole={result.rows.length >= result.total} total={result.total} />}
      {result?.isKept && (
        <div class="card-body">
          <div class="toolbar">
            <Button icon="download" onClick={() => download('csv')}>
              Download CSV
            </Button>
            <Button icon="download" onClick={() => download('parquet')}>
              Download Parquet
            </Button>
            <span class="muted small">Computed in this browser by DuckDB.</span>
          </div>
        </div>
      )}
    </>
  );
}
