/** JSON as a tree that opens step by step. */
import { useState } from 'preact/hooks';
import { useAnswer } from '../../core/answer.js';
import { decoded, readHead } from '../../core/content.js';
import { counted, sizeText } from '../../../src/model/text.js';
import { Alert, With } from '../../parts/states.js';
import { Button } from '../../parts/button.js';
import { Code } from './code.js';
import type { ShownObject } from '../../core/registry.js';

const most = 8 * 1024 * 1024;
/** Members of one value that are shown at a time. */
const step = 200;

export function JsonView({ object }: { readonly object: ShownObject }) {
  const head = useAnswer(
    async signal => {
      const found = await readHead(object, most, signal);
      const text = decoded(found);
      try {
        return { text, cut: found.cut, value: JSON.parse(text) as unknown };
      } catch (error) {
        return { text, cut: found.cut, problem: error instanceof Error ? error.message : String(error) };
      }
    },
    [object.url],
  );
  return (
    <With answer={head}>
      {({ text, cut, value, problem }) =>
        problem === undefined ? (
          <div class="code-block scroll json" tabIndex={0} role="region" aria-label="JSON">
            <Value value={value} open />
          </div>
        ) : (
          <>
            <Alert kind="note">{cut ? `Only the first ${sizeText(most)} are shown, as text.` : `This is not valid JSON: ${problem}`}</Alert>
            <Code text={text.slice(0, 1024 * 1024)} language="json" label={object.path} />
          </>
        )
      }
    </With>
  );
}

function Value({ name, value, open: initially = false }: { readonly name?: string; readonly value: unknown; readonly open?: boolean }) {
  const [open, setOpen] = useState(initially);
  const [shown, setShown] = useState(step);
  const label = name === undefined ? null : <span class="s-key">{name}: </span>;
  if (typeof value !== 'object' || value === null)
    return (
      <div class="json-leaf">
        {label}
        <span class={typeof value === 'string' ? 's-string' : 's-number'}>{JSON.stringify(value)}</span>
      </div>
    );
  const entries = Object.entries(value);
  const note = Array.isArray(value) ? `[${counted(entries.length, 'item')}]` : `{${counted(entries.length, 'member')}}`;
  return (
    <details open={open} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        {label}
        <span class="muted">{note}</span>
      </summary>
      {open && (
        <div class="json-inner">
          {entries.slice(0, shown).map(([key, member]) => (
            <Value key={key} name={key} value={member} />
          ))}
          {entries.length > shown && (
            <Button kind="plain" onClick={() => setShown(shown + step)}>
              Show {Math.min(step, entries.length - shown)} more
            </Button>
          )}
        </div>
      )}
    </details>
  );
}
