/** What keys and clicks do to the text of the editor. */
import { useRef } from 'preact/hooks';
import type { RefObject } from 'preact';
import type { Completion } from './use-completion.js';

interface Editing {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly onKey: (event: KeyboardEvent) => void;
  readonly accept: (candidate: string) => void;
  /** Writes a text where the caret is. */
  readonly insert: (text: string) => void;
}

interface EditingOptions {
  readonly query: string;
  readonly completion: Completion;
  readonly onQuery: (query: string) => void;
  readonly onExecute: () => void;
}

export function useEditing({ query, completion, onQuery, onExecute }: EditingOptions): Editing {
  const field = useRef<HTMLTextAreaElement>(null);
  const { candidates, chosen } = completion;
  const write = (text: string, caret: number): void => {
    onQuery(text);
    completion.close();
    const element = field.current;
    if (!element) return;
    element.value = text;
    element.focus();
    element.setSelectionRange(caret, caret);
  };
  const accept = (candidate: string): void => {
    const { text, caret } = completion.complete(query, candidate);
    write(text, caret);
    // The next part of an address.
    if (candidate.endsWith('/')) completion.look(text, caret, true);
  };
  const insert = (text: string): void => {
    const at = field.current?.selectionStart ?? query.length;
    write(query.slice(0, at) + text + query.slice(field.current?.selectionEnd ?? at), at + text.length);
  };
  /** @returns whether the key was for the list. */
  const move = (key: string): boolean => {
    if (candidates.length === 0) return false;
    if (key === 'ArrowDown') completion.choose((chosen + 1) % candidates.length);
    else if (key === 'ArrowUp') completion.choose((chosen + candidates.length - 1) % candidates.length);
    else if (key === 'Tab' || key === 'Enter') accept(candidates[chosen] ?? '');
    else if (key === 'Escape') completion.close();
    else return false;
    return true;
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      completion.close();
      onExecute();
    } else if (event.key === ' ' && event.ctrlKey) completion.look(query, field.current?.selectionStart ?? 0, true);
    else if (move(event.key)) event.stopPropagation();
    else return;
    event.preventDefault();
  };
  return { field, onKey, accept, insert };
}
