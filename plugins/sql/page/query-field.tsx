/** Where a query is typed. */
import { useId } from 'preact/hooks';

interface QueryFieldProps {
  readonly query: string;
  /** Beside an object, which needs the room. */
  readonly isShort: boolean;
  readonly onQuery: (query: string) => void;
  readonly onExecute: () => void;
}

export function QueryField({ query, isShort, onQuery, onExecute }: QueryFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Query</label>
      <textarea
        id={id}
        class={isShort ? 'code short' : 'code'}
        rows={isShort ? 4 : 8}
        value={query}
        spellcheck={false}
        placeholder="SELECT * FROM 'srv://repository/main/path.parquet'"
        aria-describedby={`${id}-more`}
        onInput={event => onQuery(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          onExecute();
        }}
      />
      <div id={`${id}-more`} class="hint">
        Reads CSV, TSV and Parquet at <code>srv://repository/ref/path</code>, in this browser. <code>COPY … TO 'srv://…'</code> writes to a
        branch. Ctrl+Enter runs.
      </div>
    </div>
  );
}
