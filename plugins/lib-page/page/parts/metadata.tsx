/** Keys and values that go with a commit or a repository. */
import { useId, useState } from 'preact/hooks';
import { metadataOf, problemsOf } from '../../src/model/metadata-rows.js';
import { session } from '../core/session.js';
import { Button } from './button.js';
import { Field } from './field.js';
import type { VNode } from 'preact';
import type { MetadataRow } from '../../src/model/metadata-rows.js';

interface Metadata {
  /** For the form. */
  readonly fields: VNode;
  /** What was entered. From now on problems are shown. @throws Error for rows that are wrong. */
  take(): Record<string, string>;
}

/** Of a commit: first what the operator asks for. */
export const useCommitMetadata = (): Metadata => useMetadata(askedRows);

export function useMetadata(initial: () => readonly MetadataRow[]): Metadata {
  const [rows, setRows] = useState(initial);
  const [tried, setTried] = useState(false);
  return {
    fields: <Rows rows={rows} onChange={setRows} tried={tried} />,
    take() {
      setTried(true);
      const problem = problemsOf(rows).find(found => found !== undefined);
      if (problem !== undefined) throw new Error(problem);
      return metadataOf(rows);
    },
  };
}

function askedRows(): readonly MetadataRow[] {
  const fields = session.value.state === 'in' ? (session.value.config.ui_config?.commit_fields ?? []) : [];
  return fields.map(({ key, label = key, kind, required, values }) => ({ key, value: '', field: { label, kind, required, values } }));
}

interface RowsProps {
  readonly rows: readonly MetadataRow[];
  readonly onChange: (rows: readonly MetadataRow[]) => void;
  readonly tried: boolean;
}

function Rows({ rows, onChange, tried }: RowsProps) {
  const problems = problemsOf(rows).map(problem => (tried ? problem : undefined));
  const set = (at: number, change: Partial<MetadataRow>): void => onChange(rows.map((row, i) => (i === at ? { ...row, ...change } : row)));
  return (
    <>
      {rows.map((row, i) => row.field && <Asked key={i} row={row} problem={problems[i]} onInput={value => set(i, { value })} />)}
      <div class="field">
        <span class="label">Metadata</span>
        {rows.map((row, i) => {
          if (row.field) return null;
          const number = rows.slice(0, i + 1).filter(({ field }) => !field).length;
          return (
            <div class="form-row" key={i}>
              <div>
                <input
                  class="input"
                  aria-label={`Key ${number}`}
                  placeholder="Key"
                  value={row.key}
                  aria-invalid={problems[i] !== undefined}
                  onInput={event => set(i, { key: event.currentTarget.value })}
                />
                {problems[i] !== undefined && <div class="problem">{problems[i]}</div>}
              </div>
              <input
                class="input"
                aria-label={`Value ${number}`}
                placeholder="Value"
                value={row.value}
                onInput={event => set(i, { value: event.currentTarget.value })}
              />
              <Button kind="plain" icon="close" label={`Remove row ${number}`} onClick={() => onChange(rows.filter((_, at) => at !== i))} />
            </div>
          );
        })}
        <div>
          <Button icon="plus" onClick={() => onChange([...rows, { key: '', value: '' }])}>
            Add Metadata field
          </Button>
        </div>
      </div>
    </>
  );
}

interface AskedProps {
  readonly row: MetadataRow;
  readonly problem: string | undefined;
  readonly onInput: (value: string) => void;
}

function Asked({ row: { value, field }, problem, onInput }: AskedProps) {
  const id = useId();
  if (!field) return null;
  const label = field.required ? `${field.label} (required)` : field.label;
  if (field.values.length === 0) return <Field label={label} value={value} onInput={onInput} problem={problem} type={field.kind} />;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-more`}
        onChange={event => onInput(event.currentTarget.value)}
      >
        <option value="">…</option>
        {field.values.map(each => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
      {problem !== undefined && (
        <div id={`${id}-more`} class="problem">
          {problem}
        </div>
      )}
    </div>
  );
}
