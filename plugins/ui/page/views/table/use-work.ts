/** Work on whole tables that a view shows the progress of, and can stop. */
import { useEffect, useState } from 'preact/hooks';
import { workOn } from '../../tables/table-client.js';
import type { Progress, RequestName, Requests, TableObject } from '@srv/lib-records/tables/table-protocol';

export type Work<T> =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly progress: Progress; readonly stop: () => void }
  | { readonly state: 'stopped'; readonly start: () => void }
  | { readonly state: 'failed'; readonly error: unknown; readonly start: () => void }
  | { readonly state: 'ready'; readonly value: T };

interface WorkOptions<N extends RequestName> {
  readonly objects: readonly TableObject[];
  readonly name: N;
  /** Absent: there is nothing to do. */
  readonly input: Requests[N]['input'] | undefined;
  /** Milliseconds to wait first: more may be typed. */
  readonly delayMs?: number;
  readonly onProgress?: (progress: Progress) => void;
}

export function useWork<N extends RequestName>({
  objects,
  name,
  input,
  delayMs = 0,
  onProgress,
}: WorkOptions<N>): Work<Requests[N]['output']> {
  const key = JSON.stringify([objects, input]);
  const [shown, setShown] = useState<{ readonly key: string; readonly work: Work<Requests[N]['output']> }>();
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (input === undefined) return undefined;
    const controller = new AbortController();
    const show = (work: Work<Requests[N]['output']>): void => setShown({ key, work });
    const start = (): void => setTurn(turn + 1);
    const stop = (): void => {
      controller.abort();
      show({ state: 'stopped', start });
    };
    const report = (progress: Progress): void => {
      if (controller.signal.aborted) return;
      onProgress?.(progress);
      show({ state: 'running', progress, stop });
    };
    const begin = (): void => {
      report({ share: 0 });
      workOn(objects, { name, input, onProgress: report, signal: controller.signal }).then(
        value => {
          if (!controller.signal.aborted) show({ state: 'ready', value });
        },
        (error: unknown) => {
          if (!controller.signal.aborted) show({ state: 'failed', error, start });
        },
      );
    };
    const timer = setTimeout(begin, delayMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key, turn]);
  return input !== undefined && shown?.key === key
    ? shown.work
    : input === undefined
      ? { state: 'idle' }
      : { state: 'running', progress: { share: 0 }, stop: () => undefined };
}
