/** The line one types: history, completion, and the keys of a terminal. */

import { Button } from '@srv/lib-page/page';
import { useEffect, useRef } from 'preact/hooks';
import { completedLine } from '../../src/model/shell-line.js';
import { Candidates } from './candidates.js';
import { useCompletion } from './completion.js';
import { useLineKeys } from './line-keys.js';
import { place, run, running, stop } from './store.js';
import { useTypedLine } from './typed-line.js';

export function LineInput({ onEscape }: { readonly onEscape: (() => void) | undefined }) {
  const input = useRef<HTMLInputElement>(null);
  const completion = useCompletion(() => input.current?.value);
  const typed = useTypedLine(completion.dismiss);
  const { offered } = completion;
  const { line, type } = typed;
  useEffect(() => input.current?.focus(), []);
  const put = (text: string): void => {
    type(text);
    input.current?.focus();
  };
  const take = (candidate: string): void => put(completedLine(line, candidate, true));
  const pressed = useLineKeys({ typed, completion, take, put, onEscape });
  /** Whole lines run as if they were typed; the last one waits for Enter. */
  const pasted = (event: ClipboardEvent): void => {
    const lines = (event.clipboardData?.getData('text') ?? '').split(/\r\n?|\n/);
    if (lines.length < 2) return;
    event.preventDefault();
    const [first = '', ...others] = lines;
    const rest = others.pop() ?? '';
    run([line + first, ...others]);
    type(rest);
  };
  return (
    <>
      {offered && <Candidates {...offered} onTake={take} />}
      <div class="shell-line">
        <span class="shell-place" id="shell-place">
          {place.value || 'srv'}&gt;
        </span>
        <input
          ref={input}
          class="grow"
          role="combobox"
          aria-label={`Command at ${place.value || 'no repository'}`}
          aria-expanded={offered !== undefined}
          aria-controls="shell-candidates"
          aria-autocomplete="list"
          aria-describedby="shell-hint"
          aria-activedescendant={offered ? `shell-candidate-${offered.at}` : undefined}
          autoComplete="off"
          autoCapitalize="off"
          spellcheck={false}
          value={line}
          onInput={event => type(event.currentTarget.value)}
          onKeyDown={pressed}
          onPaste={pasted}
        />
        <span class="unseen" id="shell-hint">
          Tab completes. Escape, then Tab leaves the line.
        </span>
        {running.value !== undefined && (
          <Button kind="danger" icon="close" onClick={stop}>
            Stop
          </Button>
        )}
      </div>
    </>
  );
}
