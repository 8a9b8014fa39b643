/** What can be written at the caret, and which of it is chosen. */
import { typedAt, wordsFor } from '@srv/lib-records/tables/sql/completion';
import { useEffect, useState } from 'preact/hooks';
import { addressesFor } from './addresses.js';
import type { KnownTable } from './known-columns.js';

export interface Completion {
  readonly candidates: readonly string[];
  readonly chosen: number;
  readonly choose: (place: number) => void;
  /** Looks for what fits at the caret. @param isAsked by a key; else only what is typed already is completed. */
  readonly look: (text: string, caret: number, isAsked: boolean) => void;
  readonly close: () => void;
  /** @returns the text with the candidate in it, and where the caret is then. */
  readonly complete: (text: string, candidate: string) => { readonly text: string; readonly caret: number };
}

/** Characters of a word before others are offered unasked. */
const fewest = 2;

export function useCompletion(tables: readonly KnownTable[]): Completion {
  const [looked, setLooked] = useState<{
    readonly text: string;
    readonly start: number;
    readonly end: number;
    readonly isAddress: boolean;
  }>();
  const [candidates, setCandidates] = useState<readonly string[]>([]);
  const [chosen, choose] = useState(0);
  const offer = (found: readonly string[]): void => {
    setCandidates(found);
    choose(0);
  };
  useEffect(() => {
    if (!looked?.isAddress) return undefined;
    const controller = new AbortController();
    addressesFor(looked.text, controller.signal).then(
      found => offer(found.filter(address => address !== looked.text)),
      () => offer([]),
    );
    return () => controller.abort();
  }, [looked?.isAddress, looked?.text]);
  const close = (): void => {
    setLooked(undefined);
    offer([]);
  };
  const look = (text: string, caret: number, isAsked: boolean): void => {
    const typed = typedAt(text, caret);
    if (!typed || (typed.kind === 'word' && !isAsked && typed.text.length < fewest)) {
      close();
      return;
    }
    setLooked({ text: typed.text, start: typed.start, end: caret, isAddress: typed.kind === 'address' });
    if (typed.kind === 'word') offer(wordsFor(typed.text, [...new Set(tables.flatMap(({ columns }) => columns.map(({ name }) => name)))]));
  };
  const complete = (text: string, candidate: string) => {
    const { start, end } = looked ?? { start: text.length, end: text.length };
    const rest = text.slice(end);
    // The quote that an address is written in may be there already.
    const isWhole = looked?.isAddress === true && !candidate.endsWith('/') && !rest.startsWith("'");
    const written = isWhole ? `${candidate}'` : candidate;
    return { text: text.slice(0, start) + written + rest, caret: start + written.length };
  };
  return { candidates, chosen, choose, look, close, complete };
}
