/** The line one types, and the lines before it. */
import { useRef, useState } from 'preact/hooks';
import { history } from './store.js';

export interface TypedLine {
  readonly line: string;
  type(text: string): void;
  /** @param step 1: one line back in the history. */
  recall(step: 1 | -1): void;
}

/** @param onChange the line becomes another one. */
export function useTypedLine(onChange: () => void): TypedLine {
  const [line, setLine] = useState('');
  /** Position in the history, from its end; 0 is the new line. */
  const [back, setBack] = useState(0);
  const draft = useRef('');
  const show = (text: string, at: number): void => {
    setLine(text);
    setBack(at);
    onChange();
  };
  return {
    line,
    type: text => show(text, 0),
    recall: step => {
      const lines = history.value;
      const at = Math.min(lines.length, Math.max(0, back + step));
      if (back === 0) draft.current = line;
      show(at === 0 ? draft.current : (lines[lines.length - at] ?? ''), at);
    },
  };
}
