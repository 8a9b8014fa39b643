/** The editor, and what came of the last script. */
import { useEffect, useId, useState } from 'preact/hooks';
import { addressText } from '../src/model/address.js';
import { host, setHost } from './host.js';
import { saveAs } from './save-as.js';
import { exported, runScript, stop } from './session.js';
import type { ComponentType } from 'preact';
import type { Page, ShownObject } from './page.js';
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

/** @returns the component, drawn by the page. */
export default function sqlView(page: Page): ComponentType<ViewProps> {
  setHost(page);
  page.onPersonChange(stop);
  return Sql;
}

/** A query in the address is shown, and runs when somebody asks for it. */
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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function Sql({ object }: ViewProps) {
  const { parts, notify } = host();
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
          <parts.Button kind="primary" icon="play" off={state.kind === 'running' && 'a query is running'} onClick={execute}>
            Execute
          </parts.Button>
          {state.kind === 'running' && (
            <parts.Button icon="close" onClick={state.abort}>
              Stop
            </parts.Button>
          )}
          <parts.Button kind="plain" icon="link" onClick={() => void copyLink()}>
            Copy Link
          </parts.Button>
          <span class="muted small" role="status">
            {state.kind === 'running' ? `${state.step}…` : ''}
          </span>
        </div>
      </div>
      {state.kind === 'running' && <parts.Loading rows={3} />}
      {state.kind === 'failed' && (
        <div class="card-body">
          <parts.Alert>{state.message}</parts.Alert>
        </div>
      )}
      {state.kind === 'done' && <Shown outcome={state.outcome} />}
      {object && state.kind === 'idle' && <parts.Content object={object} without="sql" />}
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
  const { parts, format, notify } = host();
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
          <parts.Alert kind="note">
            {written.length === 0
              ? 'Done.'
              : written.map(({ address, size }) => <p key={address}>{`Wrote ${format.size(size)} to ${address}.`}</p>)}
          </parts.Alert>
        </div>
      )}
      {result && (
        <parts.DataTable columns={result.columns} rows={result.rows} whole={result.rows.length >= result.total} total={result.total} />
      )}
      {result?.isKept && (
        <div class="card-body">
          <div class="toolbar">
            <parts.Button icon="download" onClick={() => download('csv')}>
              Download CSV
            </parts.Button>
            <parts.Button icon="download" onClick={() => download('parquet')}>
              Download Parquet
            </parts.Button>
            <span class="muted small">Computed in this browser by DuckDB.</span>
          </div>
        </div>
      )}
    </>
  );
}
