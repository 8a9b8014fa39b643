/** The keys of a terminal. */
import { useRef } from 'preact/hooks';
import { clear, run, running, stop } from './store.js';
import type { Completion } from './completion.js';
import type { TypedLine } from './typed-line.js';

interface LineKeys {
  readonly typed: TypedLine;
  readonly completion: Completion;
  /** The line becomes one with a candidate. */
  readonly take: (candidate: string) => void;
  /** The line becomes another one. */
  readonly put: (line: string) => void;
  readonly onEscape: (() => void) | undefined;
}

export function useLineKeys({ typed, completion, take, put, onEscape }: LineKeys): (event: KeyboardEvent) => void {
  /** After Escape the next Tab leaves the line. */
  const leaves = useRef(false);
  const { line, type, recall } = typed;
  const { offered, move, dismiss } = completion;
  const isRunning = running.value !== undefined;
  const send = (): void => {
    if (isRunning) return;
    run(line.split('\n'));
    type('');
  };
  const tab = async (): Promise<void> => {
    if (offered) return move(1);
    const completed = await completion.completed(line);
    if (completed !== undefined) put(completed);
  };
  /** @returns whether the key was for the line, and means nothing else. */
  const obey = ({ key, shiftKey, ctrlKey, currentTarget }: KeyboardEvent): boolean => {
    if (key === 'Tab' && !shiftKey && line !== '' && !leaves.current) {
      void tab();
      return true;
    }
    leaves.current = false;
    if (key === 'Enter') {
      if (offered) take(offered.candidates[offered.at] ?? '');
      else send();
      return true;
    }
    if (key === 'ArrowUp' || key === 'ArrowDown') {
      const isUp = key === 'ArrowUp';
      if (offered) move(isUp ? -1 : 1);
      else recall(isUp ? 1 : -1);
      return true;
    }
    if (key === 'Escape') {
      leaves.current = true;
      if (offered) dismiss();
      else if (line === '') onEscape?.();
    } else if (ctrlKey && key === 'c' && !hasSelection(currentTarget)) {
      if (isRunning) stop();
      else type('');
      return true;
    } else if (ctrlKey && key === 'l') {
      clear();
      return true;
    }
    return false;
  };
  return event => {
    if (obey(event)) event.preventDefault();
  };
}

/** Then Ctrl+C copies. */
function hasSelection(line: EventTarget | null): boolean {
  return String(getSelection()) !== '' || (line instanceof HTMLInputElement && line.selectionStart !== line.selectionEnd);
}
