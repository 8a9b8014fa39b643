/** The shell: what was said, and the line. */

import { Button, Confirm, shownName, shownText, usePlace } from '@srv/lib-page/page';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { formatPlace, hrefOfUri, uriOfRoute } from '../../src/model/shell-place.js';
import { LineInput } from './line-input.js';
import { ResultTable } from './result-table.js';
import { answer, entries, moveTo, openShell, place, question, run, running } from './store.js';
import './style.css';
import type { Block, Entry } from './store.js';

export interface ShellProps {
  readonly onClose?: () => void;
}

export function Shell({ onClose }: ShellProps) {
  const route = usePlace();
  const here = uriOfRoute(route.segments, route.query);
  const log = useRef<HTMLDivElement>(null);
  // Before a key can reach the line.
  useLayoutEffect(() => {
    openShell(here, { open: uri => route.go(hrefOfUri(uri)), leave: () => onClose?.() });
  });
  const shown = entries.value;
  useEffect(() => {
    // The newest line is in sight, whatever came before it.
    const element = log.current;
    const last = element?.lastElementChild;
    if (element && last) element.scrollTop += last.getBoundingClientRect().top - element.getBoundingClientRect().top;
  }, [shown.at(-1)?.id, shown.at(-1)?.state]);
  const asked = question.value;
  return (
    <section class="shell" aria-label="Shell">
      <div class="shell-log" ref={log} tabIndex={0} role="region" aria-label="Output of the shell">
        {shown.length === 0 && <Beginning />}
        {shown.map(entry => (
          <Said key={entry.id} entry={entry} />
        ))}
      </div>
      <div class="unseen" role="status">
        {outcome(shown.at(-1))}
      </div>
      {here !== undefined && running.value === undefined && formatPlace(here) !== place.value && (
        <div class="shell-here">
          <Button kind="plain" icon="right" onClick={() => moveTo(here)}>
            Go to {formatPlace(here)}
          </Button>
        </div>
      )}
      <LineInput onEscape={onClose} />
      {asked !== undefined && (
        <Confirm title="Confirm" action="Yes" onClose={() => answer(false)} onConfirm={async () => answer(true)}>
          <p>{shownName(asked)}?</p>
        </Confirm>
      )}
    </section>
  );
}

/** Lines that change nothing, to begin with; those of a repository where the shell is in one. */
const examples = {
  anywhere: ['repo list', 'help'],
  inRepository: ['ls', 'log --amount 5', 'branch list', 'diff', 'repo list', 'help'],
} as const;

function Beginning() {
  return (
    <div class="shell-beginning">
      <p class="muted">
        The commands of <code>cli</code>, in the page. Tab completes, Escape then Tab leaves the line. Try one of these, or type your own:
      </p>
      <div class="group">
        {examples[place.value === '' ? 'anywhere' : 'inRepository'].map(line => (
          <Button key={line} icon="terminal" onClick={() => run([line])}>
            {line}
          </Button>
        ))}
      </div>
    </div>
  );
}

function Said({ entry: { place: at, line, blocks, state } }: { readonly entry: Entry }) {
  return (
    <div class={`shell-entry ${state}`}>
      {line !== '' && (
        <div class="shell-said">
          <span class="shell-place">{at || 'srv'}&gt;</span> {shownText(line)}
        </div>
      )}
      {blocks.map((block, i) => (
        <Shown key={i} block={block} line={line} />
      ))}
      {state === 'running' && <span class="muted small">running…</span>}
    </div>
  );
}

function Shown({ block, line }: { readonly block: Block; readonly line: string }) {
  if (block.kind === 'rows') return <ResultTable label={line} rows={block.rows} origin={block.origin} />;
  return (
    <pre class={`shell-text ${block.tone}`} role={block.tone === 'error' ? 'alert' : undefined}>
      {shownText(block.text)}
    </pre>
  );
}

/** For screen readers. */
function outcome(entry: Entry | undefined): string {
  if (entry === undefined || entry.state === 'running') return '';
  const rows = entry.blocks.reduce((sum, block) => sum + (block.kind === 'rows' ? block.rows.length : 0), 0);
  return `${entry.line}: ${entry.state === 'failed' ? 'failed' : rows > 0 ? `${rows} rows` : 'done'}`;
}
