/** Objects of a folder, and of all folders below it, that match a pattern. */
import { call } from '@srv/lib-page/page';
import { useEffect, useState } from 'preact/hooks';
import { findPaths } from '../../../src/model/find-paths.js';
import { parsePathPattern } from '../../../src/model/path-pattern.js';
import type { ListedObject } from './listed-object.js';

/** Paths that are looked at before the search waits to be continued, and objects that are shown. */
const [mostPaths, mostFound] = [100_000, 10_000];

interface FoundObjects {
  readonly state: 'searching' | 'waiting' | 'whole' | 'failed';
  readonly items: readonly ListedObject[];
  /** Paths that were looked at. */
  readonly looked: number;
  readonly error?: unknown;
  /** Looks at more paths. */
  more(): void;
  stop(): void;
}

interface Turn {
  readonly items: readonly ListedObject[];
  readonly looked: number;
  /** Where it continues. */
  readonly after: string | undefined;
  readonly state: FoundObjects['state'];
  readonly error?: unknown;
}

const nothing: Turn = { items: [], looked: 0, after: '', state: 'searching' };

export function useFoundObjects(repository: string, ref: string, folder: string, pattern: string): FoundObjects {
  const name = JSON.stringify([repository, ref, folder, pattern]);
  const [held, setHeld] = useState<{ readonly name: string; readonly turn: Turn }>({ name, turn: nothing });
  const turn = held.name === name ? held.turn : nothing;
  const [round, setRound] = useState(0);
  const [controller, setController] = useState<AbortController>();
  useEffect(() => {
    const own = new AbortController();
    setController(own);
    let now: Turn = { ...turn, state: 'searching' };
    const show = (changes: Partial<Turn>): void => {
      if (own.signal.aborted) return;
      now = { ...now, ...changes };
      setHeld({ name, turn: now });
    };
    const search = async (): Promise<void> => {
      const after = await findPaths<ListedObject>({
        pattern: parsePathPattern(pattern),
        folder,
        after: now.after ?? '',
        most: mostPaths,
        load: async (prefix, from) => {
          show({ after: from });
          return call('listObjects', { repository, ref, prefix, after: from, amount: 1000, user_metadata: false }, { signal: own.signal });
        },
        onProgress: (found, looked) => {
          show({ items: now.items.concat(found).slice(0, mostFound), looked: now.looked + looked });
        },
        signal: own.signal,
      });
      show({ after, state: after === undefined ? 'whole' : 'waiting' });
    };
    show({});
    search().catch((error: unknown) => show({ state: 'failed', error }));
    return () => own.abort();
  }, [name, round]);
  return {
    ...turn,
    more: () => setRound(round + 1),
    stop: () => {
      controller?.abort();
      setHeld({ name, turn: { ...turn, state: 'waiting' } });
    },
  };
}
