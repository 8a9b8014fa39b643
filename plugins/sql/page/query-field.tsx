/** Where a query is typed: coloured, with what can be written next. */
import { segmentsOf } from '@srv/lib-records/tables/sql/segments';
import { useId, useRef } from 'preact/hooks';
import { useKnownTables } from './known-columns.js';
import { KnownTables } from './known-tables.js';
import { useCompletion } from './use-completion.js';
import { useEditing } from './use-editing.js';
import './style.css';
import type { Place } from './execution.js';

interface QueryFieldProps {
  readonly query: string;
  /** Beside an object, which needs the room. */
  readonly isShort: boolean;
  readonly place: Place;
  readonly onQuery: (query: string) => void;
  readonly onExecute: () => void;
}

export function QueryField({ query, isShort, place, onQuery, onExecute }: QueryFieldProps) {
  const id = useId();
  const shade = useRef<HTMLPreElement>(null);
  const tables = useKnownTables(query);
  const completion = useCompletion(tables);
  const { field, onKey, accept, insert } = useEditing({ query, completion, onQuery, onExecute });
  const { candidates, chosen } = completion;
  const isOpen = candidates.length > 0;
  return (
    <div class="field">
      <label for={id}>Query</label>
      <div class="sql-editor">
        <div class="sql-typed">
          <pre ref={shade} class="sql-shade" aria-hidden="true">
            {segmentsOf(query).map(({ text, kind }, i) => (
              <span key={i} class={kind ? `sql-${kind}` : ''}>
                {text}
              </span>
            ))}
            {'\n'}
          </pre>
          <textarea
            ref={field}
            id={id}
            class={isShort ? 'code short' : 'code'}
            rows={isShort ? 4 : 8}
            value={query}
            spellcheck={false}
            placeholder="SELECT * FROM 'srv://repository/main/path.parquet'"
            aria-describedby={`${id}-more`}
            aria-autocomplete="list"
            {...(isOpen ? { 'aria-controls': `${id}-list`, 'aria-activedescendant': `${id}-${chosen}` } : {})}
            onInput={event => {
              const { value, selectionStart } = event.currentTarget;
              onQuery(value);
              completion.look(value, selectionStart, false);
            }}
            onScroll={event => {
              if (shade.current) shade.current.scrollTop = event.currentTarget.scrollTop;
            }}
            onBlur={completion.close}
            onKeyDown={onKey}
          />
          {isOpen && <Candidates id={id} candidates={candidates} chosen={chosen} onAccept={accept} />}
        </div>
        <KnownTables tables={tables} onInsert={insert} />
      </div>
      <div id={`${id}-more`} class="hint">
        <Hint place={place} /> Ctrl+Enter runs, Ctrl+Space completes.
      </div>
    </div>
  );
}

interface CandidatesProps {
  readonly id: string;
  readonly candidates: readonly string[];
  readonly chosen: number;
  readonly onAccept: (candidate: string) => void;
}

function Candidates({ id, candidates, chosen, onAccept }: CandidatesProps) {
  return (
    <div class="sql-candidates" id={`${id}-list`} role="listbox" aria-label="What can be written here">
      {candidates.map((candidate, i) => (
        <div
          key={candidate}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === chosen}
          // Before the field loses the focus.
          onMouseDown={event => {
            event.preventDefault();
            onAccept(candidate);
          }}
        >
          {candidate}
        </div>
      ))}
    </div>
  );
}

function Hint({ place }: { readonly place: Place }) {
  if (place === 'server')
    return (
      <>
        Reads CSV, TSV, JSON and Parquet at <code>srv://repository/ref/path</code>, and <code>repository.ref.system.object_metadata</code>,
        on the server: one query, which only reads.
      </>
    );
  return (
    <>
      Reads CSV, TSV and Parquet at <code>srv://repository/ref/path</code>, in this browser. <code>COPY … TO 'srv://…'</code> writes to a
      branch.
    </>
  );
}
