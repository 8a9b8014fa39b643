/** JSON as a tree that opens step by step. */

import { Alert, Button, With, counted, sizeText, useAsync } from '@srv/lib-page/page';
import { parseJsonTree, repeatedNames } from '@srv/lib-records/tables/json-tree';
import { useState } from 'preact/hooks';
import { visibleText } from '../../../src/model/visible-text.js';
import { decoded, readHead } from '../../core/content.js';
import { Code } from './code.js';
import type { ShownObject } from '@srv/lib-page/page';
import type { JsonNode } from '@srv/lib-records/tables/json-tree';

const most = 8 * 1024 * 1024;
/** Members of one value that are shown at a time. */
const step = 200;

export function JsonView({ object }: { readonly object: ShownObject }) {
  const head = useAsync(
    async signal => {
      const found = await readHead(object, most, signal);
      const text = decoded(found);
      try {
        return { text, cut: found.cut, value: parseJsonTree(text) };
      } catch (error) {
        return { text, cut: found.cut, problem: error instanceof Error ? error.message : String(error) };
      }
    },
    [object.url],
  );
  return (
    <With answer={head}>
      {({ text, cut, value, problem }) =>
        value !== undefined ? (
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

interface ValueProps {
  readonly name?: string;
  readonly value: JsonNode;
  readonly open?: boolean;
  /** Another member has the same name. */
  readonly isRepeated?: boolean;
}

function Value({ name, value, open: initially = false, isRepeated = false }: ValueProps) {
  const [open, setOpen] = useState(initially);
  const [shown, setShown] = useState(step);
  const label = name === undefined ? null : <span class="s-key">{name}: </span>;
  const note = isRepeated && <span class="badge changed">name repeated</span>;
  if (!('members' in value))
    return (
      <div class="json-leaf">
        {label}
        <span class={value.kind === 'text' ? 's-string' : 's-number'}>{visibleText(value.source)}</span> {note}
      </div>
    );
  const { kind, members } = value;
  const repeated = open && kind === 'object' ? repeatedNames(members) : new Set<string>();
  return (
    <details open={open} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        {label}
        <span class="muted">{kind === 'array' ? `[${counted(members.length, 'item')}]` : `{${counted(members.length, 'member')}}`}</span>{' '}
        {note}
      </summary>
      {open && (
        <div class="json-inner">
          {members.slice(0, shown).map((member, i) => (
            <Value key={i} name={member.name} value={member.value} isRepeated={repeated.has(member.name)} />
          ))}
          {members.length > shown && (
            <Button kind="plain" onClick={() => setShown(shown + step)}>
              Show {Math.min(step, members.length - shown)} more
            </Button>
          )}
        </div>
      )}
    </details>
  );
}
