/** Which rows of a table are shown: a text anywhere in them, and conditions for columns. */
import { Button, Search, shownName } from '@srv/lib-page/page';
import { operators } from '@srv/lib-records/tables/row-selection';
import type { Condition, Operator } from '@srv/lib-records/tables/row-selection';
import type { ComponentChildren } from 'preact';

interface FilterBarProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly columns: readonly { readonly name: string }[];
  readonly conditions: readonly Condition[];
  readonly onConditions: (conditions: readonly Condition[]) => void;
  readonly children: ComponentChildren;
}

export function FilterBar({ text, onText, columns, conditions, onConditions, children }: FilterBarProps) {
  return (
    <>
      <div class="card-head">
        <Search label="Filter rows" value={text} onInput={onText} />
        <Button icon="plus" onClick={() => onConditions([...conditions, { column: 0, operator: '=', value: '' }])}>
          Condition
        </Button>
        {children}
      </div>
      {conditions.map((condition, i) => (
        <ConditionRow
          key={i}
          columns={columns}
          condition={condition}
          onChange={changed => onConditions(conditions.map((each, j) => (i === j ? changed : each)))}
          onRemove={() => onConditions(conditions.filter((_, j) => i !== j))}
        />
      ))}
    </>
  );
}

interface ConditionRowProps {
  readonly columns: readonly { readonly name: string }[];
  readonly condition: Condition;
  readonly onChange: (condition: Condition) => void;
  readonly onRemove: () => void;
}

function ConditionRow({ columns, condition, onChange, onRemove }: ConditionRowProps) {
  const { column = 0, operator, value } = condition;
  const needsValue = operator !== 'is null' && operator !== 'is not null';
  return (
    <div class="card-head">
      <select
        aria-label="Column"
        value={String(column)}
        onChange={event => onChange({ ...condition, column: Number(event.currentTarget.value) })}
      >
        {columns.map(({ name }, i) => (
          <option key={i} value={String(i)}>
            {shownName(name)}
          </option>
        ))}
      </select>
      <select
        aria-label="Condition"
        value={operator}
        onChange={event => onChange({ ...condition, operator: event.currentTarget.value as Operator })}
      >
        {operators.map(each => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
      {needsValue && (
        <input
          class="input"
          aria-label="Value"
          value={value}
          onInput={event => onChange({ ...condition, value: event.currentTarget.value })}
        />
      )}
      <Button kind="plain" icon="close" label="Remove condition" onClick={onRemove} />
    </div>
  );
}
