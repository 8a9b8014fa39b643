/** Inputs with their labels. */
import { useId } from 'preact/hooks';
import { Icon } from './icon.js';
import type { ComponentChildren } from 'preact';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: ComponentChildren;
  readonly problem?: string | undefined;
  readonly placeholder?: string | undefined;
  readonly type?: 'text' | 'password' | 'number' | 'date';
  /** Lines of a text; absent: one line. */
  readonly lines?: number;
  readonly focus?: boolean;
  readonly name?: string;
  readonly code?: boolean;
  readonly readOnly?: boolean;
}

export function Field(props: FieldProps) {
  const { label, value, onInput, hint, problem, placeholder, type = 'text', lines, focus = false, name, code, readOnly = false } = props;
  const id = useId();
  const shared = {
    id,
    value,
    placeholder,
    readOnly,
    autoFocus: focus,
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem !== undefined || hint !== undefined ? `${id}-more` : undefined,
    autoComplete: type === 'password' ? 'current-password' : name === 'username' ? 'username' : 'off',
    spellcheck: lines !== undefined && !code,
    name,
  } as const;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {lines === undefined ? (
        <input {...shared} class="input" type={type as 'text'} onInput={event => onInput(event.currentTarget.value)} />
      ) : (
        <textarea {...shared} class={code ? 'code' : ''} rows={lines} onInput={event => onInput(event.currentTarget.value)} />
      )}
      {problem !== undefined ? (
        <div id={`${id}-more`} class="problem">
          {problem}
        </div>
      ) : (
        hint !== undefined && (
          <div id={`${id}-more`} class="hint">
            {hint}
          </div>
        )
      )}
    </div>
  );
}

interface CheckProps {
  readonly label: ComponentChildren;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function Check({ label, checked, onChange }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={event => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
  readonly hint?: ComponentChildren;
}

export function Choice({ label, value, options, onChange, hint }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={event => onChange(event.currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && <div class="hint">{hint}</div>}
    </div>
  );
}

interface SearchProps {
  readonly label: string;
  /** What stands in the empty field, if not the label. */
  readonly hint?: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

export function Search({ label, hint = label, value, onInput }: SearchProps) {
  return (
    <div class="search">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        aria-label={label}
        placeholder={hint}
        value={value}
        data-filter=""
        onInput={event => onInput(event.currentTarget.value)}
      />
    </div>
  );
}
