/** The editor, and the results of the last script. */
import { Alert, Button, Content, Loading, notify, onPersonChange } from '@srv/lib-page/page';
import { useExecution } from './execution.js';
import { linkTo, useQuery } from './query.js';
import { QueryField } from './query-field.js';
import { Result } from './result.js';
import { stop } from './session.js';
import type { ShownObject } from '@srv/lib-page';

interface ViewProps {
  /** What the view is for; absent: the page of its own. */
  readonly object?: ShownObject;
}

onPersonChange(stop);

export default function Sql({ object }: ViewProps) {
  if (object) return <Editor object={object} />;
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
  const { state, execute } = useExecution(query);
  const copyLink = async (): Promise<void> => {
    await navigator.clipboard.writeText(linkTo(query));
    notify('Copied the link to this query');
  };
  return (
    <>
      {object && <Content object={object} without="sql" />}
      <div class="card-body form">
        <QueryField query={query} isShort={object !== undefined} onQuery={setQuery} onExecute={execute} />
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
      {state.kind === 'done' && <Result outcome={state.outcome} />}
    </>
  );
}
