/** Data of a view: being loaded, there, or refused. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { Refusal, SessionEnded } from './client.js';
import { holdsTypedText } from './typed-text.js';

export type AsyncData<T> = (
  | { readonly state: 'loading'; readonly value?: T }
  | { readonly state: 'failed'; readonly error: unknown; readonly value?: never }
  | { readonly state: 'ready'; readonly value: T }
) & {
  /** Loads again; what is shown stays until the new value is there. */
  reload(): void;
};

/**
 * @param load called again when `key` changes, and aborted when its result is not needed any more.
 * @param key everything the answer depends on.
 */
export function useAsync<T>(load: (signal: AbortSignal) => Promise<T>, key: readonly unknown[]): AsyncData<T> {
  const name = JSON.stringify(key);
  const [shown, show] = useState<{ name: string; answer: { state: 'ready'; value: T } | { state: 'failed'; error: unknown } }>();
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const controller = new AbortController();
    latest.current(controller.signal).then(
      value => {
        if (!controller.signal.aborted) show({ name, answer: { state: 'ready', value } });
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        show(before => {
          const stays = before?.name === name && before.answer.state === 'ready' && isOfConnection(error) && holdsTypedText();
          return stays ? before : { name, answer: { state: 'failed', error } };
        });
      },
    );
    return () => controller.abort();
  }, [name, turn]);
  const reload = useCallback(() => setTurn(value => value + 1), []);
  if (shown?.name !== name) return { state: 'loading', reload };
  return { ...shown.answer, reload };
}

/** Such a failure of a reload says nothing about the data, whose view may have forms. */
const isOfConnection = (error: unknown): boolean => error instanceof SessionEnded || (error instanceof Refusal && error.status === 0);

export interface Page<T> {
  readonly results: readonly T[];
  readonly pagination: { readonly has_more: boolean; readonly next_offset: string };
}

export interface Pages<T> {
  readonly items: readonly T[];
  readonly state: 'loading' | 'failed' | 'more' | 'whole';
  readonly error?: unknown;
  /** Asks for the next page, unless it is on its way. */
  more(): void;
  reload(): void;
}

/** A list that grows page by page. */
export function usePages<T>(load: (after: string, signal: AbortSignal) => Promise<Page<T>>, key: readonly unknown[]): Pages<T> {
  const name = JSON.stringify(key);
  const [turn, setTurn] = useState(0);
  const [list, setList] = useState<{ name: string; items: readonly T[]; after: string; state: Pages<T>['state']; error?: unknown }>();
  const latest = useRef(load);
  latest.current = load;
  const busy = useRef<AbortController | undefined>(undefined);

  const fetchPage = (after: string, before: readonly T[]): void => {
    const controller = new AbortController();
    busy.current = controller;
    latest.current(after, controller.signal).then(
      ({ results, pagination }) => {
        if (controller.signal.aborted) return;
        busy.current = undefined;
        setList({
          name,
          items: before.length === 0 ? results : before.concat(results),
          after: pagination.next_offset,
          state: pagination.has_more ? 'more' : 'whole',
        });
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        busy.current = undefined;
        setList({ name, items: before, after, state: 'failed', error });
      },
    );
  };
  useEffect(() => {
    fetchPage('', []);
    return () => {
      busy.current?.abort();
      busy.current = undefined;
    };
  }, [name, turn]);
  const reload = useCallback(() => setTurn(value => value + 1), []);
  if (list?.name !== name) return { items: [], state: 'loading', more: () => undefined, reload };
  const more = (): void => {
    if (busy.current || (list.state !== 'more' && list.state !== 'failed')) return;
    fetchPage(list.after, list.items);
  };
  return { items: list.items, state: list.state, error: list.error, more, reload };
}
