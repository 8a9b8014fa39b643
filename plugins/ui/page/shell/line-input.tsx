/** The line one types: history, completion, and the keys of a terminal. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { commonStart, completedLine } from '../../src/model/shell-line.js';
import { Button, shownName } from '@srv/lib-page/page';
import { clear, complete, history, place, run, running, stop } from './store.js';

/** Candidates that are offered. */
const mostCandidates = 60;

interface Offered {
  readonly candidates: readonly string[];
  readonly at: number;
}

export function LineInput({ onEscape }: { readonly onEscape: (() => void) | undefined }) {
  const input = useRef<HTMLInputElement>(null);
  const [line, setLine] = useState('');
  const [offered, setOffered] = useState<Offered>();
  /** Position in the history, from its end; 0 is the new line. */
  const [back, setBack] = useState(0);
  const draft = useRef('');
  /** After Escape the next Tab leaves the line. */
  const leaves = useRef(false);
  const isRunning = running.value !== undefined;
  useEffect(() => input.current?.focus(), []);

  const type = (text: string): void => {
    setLine(text);
    setOffered(undefined);
    setBack(0);
  };
  const send = (): void => {
    if (isRunning) return;
    run(line.split('\n'));
    type('');
  };
  const take = (candidate: string, isWhole = true): void => {
    type(completedLine(line, candidate, isWhole));
    input.current?.focus();
  };
  const tab = async (): Promise<void> => {
    if (offered) return setOffered({ ...offered, at: (offered.at + 1) % offered.candidates.length });
    const found = await complete(line);
    // The user has continued typing.
    if (input.current?.value !== line) return;
    const [only] = found.candidates;
    if (only === undefined) return;
    if (found.candidates.length === 1) return take(only);
    const common = commonStart(found.candidates);
    if (common.length > found.partial.length) return take(common, false);
    setOffered({ candidates: found.candidates.slice(0, mostCandidates), at: 0 });
  };
  const recall = (step: 1 | -1): void => {
    const lines = history.value;
    const at = Math.min(lines.length, Math.max(0, back + step));
    if (back === 0) draft.current = line;
    setBack(at);
    setOffered(undefined);
    setLine(at === 0 ? draft.current : (lines[lines.length - at] ?? ''));
  };
  const pressed = (event: KeyboardEvent): void => {
    const { key, ctrlKey } = event;
    const taken = (): void => event.preventDefault();
    if (key === 'Tab' && !event.shiftKey && line !== '' && !leaves.current) {
      taken();
      void tab();
      return;
    }
    leaves.current = false;
    if (key === 'Enter') {
      taken();
      if (offered) take(offered.candidates[offered.at] ?? '');
      else send();
    } else if (key === 'ArrowUp' || key === 'ArrowDown') {
      taken();
      const step = key === 'ArrowUp' ? 1 : -1;
      if (offered) setOffered({ ...offered, at: (offered.at - step + offered.candidates.length) % offered.candidates.length });
      else recall(step);
    } else if (key === 'Escape') {
      leaves.current = true;
      if (offered) setOffered(undefined);
      else if (line === '') onEscape?.();
    } else if (ctrlKey && key === 'c' && String(getSelection()) === '' && input.current?.selectionStart === input.current?.selectionEnd) {
      taken();
      if (isRunning) stop();
      else type('');
    } else if (ctrlKey && key === 'l') {
      taken();
      clear();
    }
  };
  return (
    <>
      {offered && (
        <div role="listbox" id="shell-candidates" aria-label="Completions" class="shell-candidates">
          {offered.candidates.map((candidate, i) => (
            <div
              key={candidate}
              id={`shell-candidate-${i}`}
              role="option"
              aria-selected={i === offered.at}
              onMouseDown={event => event.preventDefault()}
              onClick={() => take(candidate)}
            >
              {shownName(candidate)}
            </div>
          ))}
        </div>
      )}
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
          onPaste={event => {
            const text = event.clipboardData?.getData('text') ?? '';
            const lines = text.split(/\r\n?|\n/);
            if (lines.length < 2) return;
            event.preventDefault();
            // Whole lines run as if they were typed; the last one waits for Enter.
            const [first = '', ...others] = lines;
            const rest = others.pop() ?? '';
            run([line + first, ...others]);
            type(rest);
          }}
        />
        <span class="unseen" id="shell-hint">
          Tab completes. Escape, then Tab leaves the line.
        </span>
        {isRunning && (
          <Button kind="danger" icon="close" onClick={stop}>
            Stop
          </Button>
        )}
      </div>
    </>
  );
}
